# Names to countries with a GRU over characters
import torch
import torch.nn as nn

N_CHARS = 128
COUNTRIES = ['Czech', 'German', 'Greek', 'Irish', 'Korean', 'Polish']


def name2tensor(name):
    codes = [min(ord(c), N_CHARS - 1) for c in name]
    tensor = torch.tensor(codes, dtype=torch.long)
    if torch.cuda.is_available():
        tensor.cuda()  # error: [DL105]
    return tensor


class NameClassifier(nn.Module):
    # one layer is enough for names

    def __init__(self, hidden_size, n_countries):
        super(NameClassifier, self).__init__()
        self.embedding = nn.Embedding(N_CHARS, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size)
        self.fc = nn.Linear(hidden_size, n_countries)

    def forward(self, name):
        # name: length -> length x 1 x hidden
        embedded = self.embedding(name).unsqueeze(1)  # also: [DL101|DL106|DL108]
        _, hidden = self.gru(embedded)
        return self.fc(hidden.squeeze(0))


def classify(classifier, name):
    with torch.no_grad():
        scores = classifier(name2tensor(name))  # also: [DL101|DL106|DL108]
        best = scores.argmax(dim=1)
    return COUNTRIES[int(best)]


if __name__ == '__main__':
    classifier = NameClassifier(100, len(COUNTRIES))
    if torch.cuda.is_available():
        classifier.cuda()
    for name in ['Nakamura', 'Novak', 'Kim']:
        print(name, classify(classifier, name))
