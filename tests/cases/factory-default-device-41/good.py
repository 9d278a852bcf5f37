import torch
from torch.utils.data import DataLoader


def box_iou(box1, box2):
    area1 = (box1[:, 2] - box1[:, 0]) * (box1[:, 3] - box1[:, 1])
    area2 = (box2[:, 2] - box2[:, 0]) * (box2[:, 3] - box2[:, 1])
    lt = torch.max(box1[:, None, :2], box2[:, :2])
    rb = torch.min(box1[:, None, 2:], box2[:, 2:])
    inter = (rb - lt).clamp(0).prod(2)
    return inter / (area1[:, None] + area2 - inter)


def process_batch(detections, labels, iou_thres):
    """1 for a detection that overlaps a label of its class, else 0."""
    iou = box_iou(detections[:, :4], labels[:, 1:])
    same_class = detections[:, 5:6] == labels[:, 0]
    return ((iou > iou_thres) & same_class).any(1).float()


@torch.no_grad()
def run(model, dataset, postprocess, device, batch_size=32, iou_thres=0.5, workers=8):
    loader = DataLoader(
        dataset,
        batch_size=batch_size,
        num_workers=workers,
        pin_memory=device.type == "cuda",
        collate_fn=dataset.collate_fn,
    )
    model = model.to(device).eval()
    stats = []
    for im, targets in loader:
        im = im.to(device, non_blocking=True)
        preds = postprocess(model(im))
        for pred, labels in zip(preds, targets):
            if pred.shape[0] == 0:
                if labels.shape[0]:
                    stats.append(torch.zeros((3, 0), device=device))
                continue
            labels = labels.to(device, non_blocking=True)
            correct = process_batch(pred, labels, iou_thres)
            stats.append(torch.stack((correct, pred[:, 4], pred[:, 5])))

    correct, conf, pred_cls = torch.cat(stats, 1).cpu().numpy()
    return correct, conf, pred_cls
