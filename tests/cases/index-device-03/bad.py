import torch
import torch.nn.functional as F


def pairwise_iou(boxes1, boxes2):
    area1 = (boxes1[:, 2:] - boxes1[:, :2]).prod(1)
    area2 = (boxes2[:, 2:] - boxes2[:, :2]).prod(1)
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(2)
    return inter / (area1[:, None] + area2 - inter)


class OptimalTransportAssigner:
    """Dynamic-k assignment of predictions to targets."""

    def __init__(self, num_classes, candidates=10, iou_weight=3.0):
        self.num_classes = num_classes
        self.candidates = candidates
        self.iou_weight = iou_weight

    def cost_matrix(self, gt_boxes, gt_cls, boxes, scores):
        ious = pairwise_iou(gt_boxes, boxes)
        onehot = F.one_hot(gt_cls.long(), self.num_classes).float()
        targets = onehot.unsqueeze(1).expand(-1, boxes.shape[0], -1)
        logits = scores.unsqueeze(0).expand(gt_boxes.shape[0], -1, -1)
        cls_loss = F.binary_cross_entropy_with_logits(logits, targets, reduction="none").sum(-1)
        return cls_loss - self.iou_weight * torch.log(ious + 1e-8), ious

    def assign(self, gt_boxes, gt_cls, boxes, scores):
        """Indices of the matched targets, for the predictions that are foreground."""
        cost, ious = self.cost_matrix(gt_boxes, gt_cls, boxes, scores)
        fg_mask = ious.max(0).values > 0.1

        # the matrix is large, so it stays on the CPU
        matching = torch.zeros_like(cost, device="cpu")
        k = min(self.candidates, cost.shape[1])
        pos_idx = torch.topk(cost, k, largest=False).indices
        matching.scatter_(1, pos_idx.cpu(), 1.0)

        matched_gt = matching[:, fg_mask].argmax(0)  # error: [DL108]
        return fg_mask, matched_gt
