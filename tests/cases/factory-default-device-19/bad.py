from typing import List, Tuple

import torch
import torch.nn


class ViterbiTagger(torch.nn.Module):
    """
    Sequence tagger with a transition matrix over tags.
    """

    def __init__(self, embedding_dim: int, tagset_size: int, start_index: int, stop_index: int):
        super().__init__()
        self.tagset_size = tagset_size
        self.start_index = start_index
        self.stop_index = stop_index
        self.linear = torch.nn.Linear(embedding_dim, tagset_size)
        self.transitions = torch.nn.Parameter(torch.randn(tagset_size, tagset_size))

    def forward(self, sentence_tensor: torch.Tensor) -> torch.Tensor:
        return self.linear(sentence_tensor)

    def viterbi_decode(self, feats: torch.Tensor) -> Tuple[torch.Tensor, List[torch.Tensor]]:
        """
        Scores of the best paths through one sentence, and the back pointers.
        :param feats: emission scores, one row per token
        """
        backpointers = []

        init_vvars = torch.ones([1, self.tagset_size]) * -10000.0  # error: [DL102]
        init_vvars[0][self.start_index] = 0
        forward_var = init_vvars

        for position in range(feats.size(0)):
            next_tag_var = forward_var.expand(self.tagset_size, self.tagset_size) + self.transitions
            best_scores, best_tags = torch.max(next_tag_var, dim=1)
            forward_var = (best_scores + feats[position]).view(1, -1)
            backpointers.append(best_tags)

        terminal_var = forward_var + self.transitions[self.stop_index]
        return terminal_var, backpointers
