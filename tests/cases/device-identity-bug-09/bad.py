''' Translation with a beam of hypotheses '''

import torch


class BeamTranslator(object):
    ''' Wraps a trained model; sentences leave the batch as they are finished '''

    def __init__(self, model, beam_size, max_len, bos, eos, use_cuda=True):
        self.device = torch.device('cuda' if use_cuda and torch.cuda.is_available() else 'cpu')
        self.model = model.to(self.device)
        self.model.eval()
        self.beam_size = beam_size
        self.max_len = max_len
        self.bos = bos
        self.eos = eos

    def keep_sentences(self, memory, row_of, unfinished):
        ''' Drops the rows of finished sentences from the encoder's output '''
        rows = [row_of[sentence] for sentence in unfinished]
        rows = torch.LongTensor(rows, device=self.device)  # error: [DL406|DL110]
        _, length, width = memory.size()

        beams = memory.view(len(row_of), self.beam_size, length, width)
        kept = beams.index_select(0, rows).view(-1, length, width)
        return kept, {sentence: row for row, sentence in enumerate(unfinished)}

    def expand(self, log_probs, scores):
        ''' The best continuations of each sentence: their beams, words and scores '''
        n_words = log_probs.size(-1)
        total = (scores.unsqueeze(-1) + log_probs).flatten(1)
        scores, flat = total.topk(self.beam_size, dim=1)
        return flat // n_words, flat % n_words, scores

    def encode(self, source):
        ''' One row for each hypothesis '''
        with torch.no_grad():
            memory = self.model.encode(source.to(self.device))
        memory = memory.repeat_interleave(self.beam_size, dim=0)
        return memory, {sentence: sentence for sentence in range(source.size(0))}
