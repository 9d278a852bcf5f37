import time

import torch
from torch import optim


class ModelTrainer:
    def __init__(self, net, config, on_gpu=True):
        self.epoch = 0
        self.step = 0
        self.optimizer = optim.SGD(net.parameters(), lr=config.learning_rate, momentum=config.momentum)
        if on_gpu and torch.cuda.is_available():
            self.device = torch.device("cuda:0")
        else:
            self.device = torch.device("cpu")
        net.to(self.device)

    def train(self, net, training_loader, config):
        last_display = time.time()
        mean_dt = 0.0

        for epoch in range(config.max_epoch):
            self.step = 0
            for points, labels in training_loader:
                t = [time.time()]
                points = points.to(self.device, non_blocking=True)
                labels = labels.to(self.device, non_blocking=True)

                self.optimizer.zero_grad()
                outputs = net(points, config)
                loss = net.loss(outputs, labels)
                loss.backward()
                torch.nn.utils.clip_grad_value_(net.parameters(), config.grad_clip_norm)
                self.optimizer.step()

                if self.device.type == "cuda":
                    torch.cuda.synchronize(self.device)  # error: [DL206]
                t += [time.time()]
                mean_dt = 0.9 * mean_dt + 0.1 * (t[-1] - t[-2])

                # Console display (only one per second)
                if (time.time() - last_display) > 1.0:
                    last_display = time.time()
                    message = "e{:03d}-i{:04d} => {:3d}% {:.1f} ms a step"
                    print(message.format(epoch, self.step, 100 * self.step // len(training_loader), 1000 * mean_dt))
                self.step += 1
            self.epoch += 1
