from __future__ import print_function

import argparse
import json

import torch
from torch.utils.data import DataLoader

from detector import build_detector, suppress_overlaps
from imagefolder import LetterboxedFolder


def get_args():
    p = argparse.ArgumentParser(description="Find objects in a folder of images")
    p.add_argument("images", help="folder with .jpg and .png files")
    p.add_argument("--cfg", default="cfg/small.json", help="architecture")
    p.add_argument("--checkpoint", default="checkpoints/last.pth", help="trained weights")
    p.add_argument("--out", default="boxes.json", help="where the boxes go")
    p.add_argument("--min-score", type=float, default=0.5)
    p.add_argument("--size", type=int, default=416, help="images are padded to this square")
    return p.parse_args()


def restore(cfg, checkpoint, device):
    with open(cfg) as f:
        net = build_detector(json.load(f))
    net.load_state_dict(torch.load(checkpoint, map_location=device))
    return net.to(device).eval()


def detect(net, folder, min_score, device):
    boxes_of = {}
    with torch.no_grad():
        for paths, images in DataLoader(folder, batch_size=8):
            raw = net(images.to(device, non_blocking=True))
            for path, boxes in zip(paths, suppress_overlaps(raw, min_score)):
                boxes_of[path] = boxes
    return boxes_of


def main():
    args = get_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = restore(args.cfg, args.checkpoint, device)
    folder = LetterboxedFolder(args.images, args.size)

    found = detect(net, folder, args.min_score, device)
    with open(args.out, "w") as f:
        json.dump(found, f)
    print("%d images" % len(found))


if __name__ == "__main__":
    main()
