import argparse

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from tqdm import tqdm

from model import Discriminator, StyledGenerator


def requires_grad(model, flag=True):
    for p in model.parameters():
        p.requires_grad = flag


def train(args, loader, generator, discriminator, g_optimizer, d_optimizer, device):
    pbar = tqdm(range(args.iter))
    data_loader = iter(loader)
    disc_loss_val = 0
    gen_loss_val = 0

    for i in pbar:
        try:
            real_image, _ = next(data_loader)
        except StopIteration:
            data_loader = iter(loader)
            real_image, _ = next(data_loader)
        real_image = real_image.to(device, non_blocking=True)
        noise = torch.randn(real_image.size(0), args.code_size, device=device)

        requires_grad(discriminator, True)
        fake_predict = discriminator(generator(noise).detach())
        disc_loss = F.softplus(fake_predict).mean() + F.softplus(-discriminator(real_image)).mean()
        d_optimizer.zero_grad()
        disc_loss.backward()
        d_optimizer.step()
        disc_loss_val = disc_loss.item()  # error: [DL201]

        requires_grad(discriminator, False)
        gen_loss = F.softplus(-discriminator(generator(noise))).mean()
        g_optimizer.zero_grad()
        gen_loss.backward()
        g_optimizer.step()
        gen_loss_val = gen_loss.item()  # error: [DL201]

        pbar.set_description(f'G: {gen_loss_val:.3f}; D: {disc_loss_val:.3f}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description='Styled generator')
    parser.add_argument('path', type=str, help='path of the dataset')
    parser.add_argument('--iter', type=int, default=100000)
    parser.add_argument('--code_size', type=int, default=512)
    args = parser.parse_args()

    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    generator = nn.DataParallel(StyledGenerator(args.code_size)).to(device)
    discriminator = nn.DataParallel(Discriminator()).to(device)
    g_optimizer = optim.Adam(generator.parameters(), lr=0.001, betas=(0.0, 0.99))
    d_optimizer = optim.Adam(discriminator.parameters(), lr=0.001, betas=(0.0, 0.99))
    dataset = datasets.ImageFolder(args.path, transforms.ToTensor())
    loader = DataLoader(dataset, shuffle=True, batch_size=16, num_workers=4)
    train(args, loader, generator, discriminator, g_optimizer, d_optimizer, device)
