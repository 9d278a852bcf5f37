import torch


def xyxy2xywh(x):
    # Convert nx4 boxes from [x1, y1, x2, y2] to [x, y, w, h]
    y = x.clone()
    y[:, 0] = (x[:, 0] + x[:, 2]) / 2
    y[:, 1] = (x[:, 1] + x[:, 3]) / 2
    y[:, 2] = x[:, 2] - x[:, 0]
    y[:, 3] = x[:, 3] - x[:, 1]
    return y


def clip_coords(boxes, img_shape):
    # Clip bounding xyxy bounding boxes to image shape (height, width)
    boxes[:, 0].clamp_(0, img_shape[1])
    boxes[:, 1].clamp_(0, img_shape[0])
    boxes[:, 2].clamp_(0, img_shape[1])
    boxes[:, 3].clamp_(0, img_shape[0])


def normalized_labels(det, img_shape):
    """Labels in normalised xywh, with class and confidence, from detections of one image.

    det: nx6 tensor (xyxy, confidence, class)
    """
    h, w = img_shape[:2]
    clip_coords(det[:, :4], img_shape)
    gn = torch.Tensor([w, h, w, h])  # error: [DL102]
    xywh = xyxy2xywh(det[:, :4]) / gn
    return torch.cat((det[:, 5:6], xywh, det[:, 4:5]), 1)


def save_labels(path, det, img_shape):
    lines = normalized_labels(det, img_shape).tolist()
    with open(path, "a") as f:
        for line in lines:
            f.write(("%g " * len(line)).rstrip() % tuple(line) + "\n")
