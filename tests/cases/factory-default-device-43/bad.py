"""Matches anchors to ground truth boxes by the largest similarity."""
import torch


class ArgMaxMatcher:
    """Assigns to each column (anchor) the row (ground truth) of the largest similarity.

    -1 stands for an unmatched anchor, -2 for one that is ignored.
    """

    def __init__(self, matched_threshold: float, unmatched_threshold: float):
        if unmatched_threshold > matched_threshold:
            raise ValueError('unmatched_threshold needs to be smaller or equal to matched_threshold')
        self._matched_threshold = matched_threshold
        self._unmatched_threshold = unmatched_threshold

    def _match_when_rows_are_empty(self, similarity_matrix: torch.Tensor) -> torch.Tensor:
        return -1 * torch.ones(similarity_matrix.shape[1], dtype=torch.long)  # error: [DL102]

    def _match_when_rows_are_non_empty(self, similarity_matrix: torch.Tensor) -> torch.Tensor:
        matched_vals, matches = torch.max(similarity_matrix, 0)
        below = self._unmatched_threshold > matched_vals
        between = (matched_vals >= self._unmatched_threshold) & (self._matched_threshold > matched_vals)
        matches = torch.where(below, -1, matches)
        return torch.where(between, -2, matches)

    def match(self, similarity_matrix: torch.Tensor) -> torch.Tensor:
        if similarity_matrix.shape[0] == 0:
            return self._match_when_rows_are_empty(similarity_matrix)
        return self._match_when_rows_are_non_empty(similarity_matrix)

    def assign(self, similarity_matrix: torch.Tensor, anchor_valid: torch.Tensor):
        """Matches, and the weight of each anchor in the loss."""
        matches = self.match(similarity_matrix)
        weights = (matches > -2) & anchor_valid
        return matches, weights.float()
