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
        self.timers = None
        if self.device.type == "cuda":
            self.timers = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        net.to(self.device)

    def train(self, net, training_loader, config):
        last_display = time.time()

        for epoch in range(config.max_epoch):
            self.step = 0
            for points, labels in training_loader:
                if self.timers and self.step % 100 == 0:
                    self.timers[0].record()

                points = points.to(self.device, non_blocking=True)
                labels = labels.to(self.device, non_blocking=True)

                self.optimizer.zero_grad()
                outputs = net(points, config)
                loss = net.loss(outputs, labels)
                loss.backward()
                torch.nn.utils.clip_grad_value_(net.parameters(), config.grad_clip_norm)
                self.optimizer.step()

                if self.timers and self.step % 100 == 0:
                    start, end = self.timers
                    end.record()
                    end.synchronize()
                    print("{:.1f} ms a step".format(start.elapsed_time(end)))

                # Console display (only one per second)
                if (time.time() - last_display) > 1.0:
                    last_display = time.time()
                    message = "e{:03d}-i{:04d} => {:3d}%"
                    print(message.format(epoch, self.step, 100 * self.step // len(training_loader)))
                self.step += 1
            self.epoch += 1
