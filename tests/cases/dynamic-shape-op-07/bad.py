import torch
import torch.nn as nn
import torch.nn.functional as F


class TopKRouter(nn.Module):
    """Assigns each token to its k best experts.

    Returns for each of the ``n_tokens * k`` assignments the index of its token, the index of its expert,
    and the probability that the expert's output is weighted with.
    """

    def __init__(self, dim, num_experts, k=2):
        super().__init__()
        self.num_experts = num_experts
        self.k = k
        self.gate = nn.Linear(dim, num_experts, bias=False)

    def forward(self, x):
        probs = F.softmax(self.gate(x), dim=-1)
        top = probs.topk(self.k, dim=-1).indices
        assigned = torch.zeros_like(probs, dtype=torch.bool).scatter(1, top, True)
        pairs = assigned.nonzero()  # error: [DL204]
        token_idx, expert_idx = pairs.unbind(1)
        return token_idx, expert_idx, probs[token_idx, expert_idx]


class MixtureOfExperts(nn.Module):
    def __init__(self, dim, hidden_dim, num_experts, k=2):
        super().__init__()
        self.router = TopKRouter(dim, num_experts, k)
        self.w1 = nn.Parameter(torch.empty(num_experts, dim, hidden_dim))
        self.w2 = nn.Parameter(torch.empty(num_experts, hidden_dim, dim))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.w1)
        nn.init.kaiming_uniform_(self.w2)

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        token_idx, expert_idx, weight = self.router(x)
        h = torch.bmm(x[token_idx].unsqueeze(1), self.w1[expert_idx])
        y = torch.bmm(F.silu(h), self.w2[expert_idx]).squeeze(1)
        out = torch.zeros_like(x).index_add(0, token_idx, y * weight.unsqueeze(-1))
        return out.reshape(shape)
