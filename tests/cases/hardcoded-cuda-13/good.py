import torch
import torch.nn as nn


def fold_copies(scores, src_dicts, tgt_stoi):
    """
    A word of the source may also be in the target dictionary. Adds the
    score of its copy to the score of the word and takes the copy out.

    scores: batch x (target words + source words)
    """
    n_target = len(tgt_stoi)
    for row, src_words in zip(scores, src_dicts):
        copies, originals = [], []
        for position, word in enumerate(src_words):
            if word in tgt_stoi:
                copies.append(n_target + position)
                originals.append(tgt_stoi[word])
        if not copies:
            continue
        copies = torch.tensor(copies, device=row.device)  # also: [DL306]
        originals = torch.tensor(originals, device=row.device)  # also: [DL306]
        row.index_add_(0, originals, row.index_select(0, copies))
        row.index_fill_(0, copies, 0.)
    return scores


class PointerHead(nn.Module):
    """ Mixes the distribution over the target dictionary with attention over the source. """

    def __init__(self, rnn_size, n_words, pad_index):
        super(PointerHead, self).__init__()
        self.words = nn.Linear(rnn_size, n_words)
        self.switch = nn.Linear(rnn_size, 1)
        self.pad_index = pad_index

    def forward(self, state, attention, src_map):
        logits = self.words(state)
        pad = torch.arange(logits.size(1), device=logits.device) == self.pad_index
        from_words = torch.softmax(logits.masked_fill(pad, -float('inf')), dim=1)

        copying = torch.sigmoid(self.switch(state))
        from_source = torch.bmm(attention.unsqueeze(1), src_map).squeeze(1)
        return torch.cat([(1 - copying) * from_words, copying * from_source], dim=1)
