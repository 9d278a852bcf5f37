""" Pairwise mixing of the images and labels of a batch
"""
import random

import torch


def soft_labels(labels, num_classes, smoothing=0., device='cuda'):  # error: [DL401]
    """ Class indices to rows of probabilities """
    rest = smoothing / num_classes
    rows = torch.full((labels.size(0), num_classes), rest, device=device)
    return rows.scatter_(1, labels.long().unsqueeze(1), 1. - smoothing + rest)


def blend_labels(labels, partners, weight, num_classes, smoothing=0., device='cuda'):  # error: [DL401]
    own = soft_labels(labels, num_classes, smoothing, device=device)
    other = soft_labels(partners, num_classes, smoothing, device=device)
    return torch.lerp(other, own, weight)


class PairBlend:
    """ Blends each image with its mirror partner in the batch

    Args:
        num_classes: number of classes of the dataset
        alpha: both parameters of the beta distribution that the weight is drawn from
        prob: share of the batches that are blended at all
        smoothing: label smoothing, also of batches that are not blended
    """
    def __init__(self, num_classes=1000, alpha=.8, prob=1., smoothing=.1):
        self.num_classes = num_classes
        self.alpha = alpha
        self.prob = prob
        self.smoothing = smoothing
        self.enabled = True

    def draw_weight(self):
        if not self.enabled or random.random() > self.prob:
            return 1.
        return random.betavariate(self.alpha, self.alpha)

    def __call__(self, images, labels):
        weight = self.draw_weight()
        partners = labels.flip(0)
        if weight < 1.:
            images = torch.lerp(images.flip(0), images, weight)
        return images, blend_labels(labels, partners, weight, self.num_classes, self.smoothing)
