"""Files of options that programs read, all of small sizes."""

from __future__ import annotations

from pathlib import Path

ADVERSARIES = """\
data: {type: cifar10, train_dir: data, img_size: 32, nlabels: 10}
generator: {name: resnet, kwargs: {nfilter: 8, nfilter_max: 16, embed_size: 1}}
discriminator: {name: resnet, kwargs: {nfilter: 8, nfilter_max: 16, embed_size: 1}}
z_dist: {type: gauss, dim: 16}
training: {out_dir: output, batch_size: 8, nworkers: 0, sample_nlabels: 2}
test: {batch_size: 4, sample_size: 6, sample_nrow: 3}
interpolations: {nzs: 10, nsubsteps: 75}
"""
HALVED = """\
[convolutional]
batch_normalize=1
filters=8
size=3
stride=2
pad=1
activation=leaky

"""
DETECTOR = f"""\
[net]
batch=4
width=416
height=416
channels=3
momentum=0.9
decay=0.0005
learning_rate=0.001
max_batches=100
steps=-1,100
scales=.1,10

{5 * HALVED}
[convolutional]
size=1
stride=1
pad=1
filters=125
activation=linear

[region]
anchors = 1.08,1.19,  3.42,4.41,  6.63,11.38,  9.42,5.11,  16.62,10.52
classes=20
coords=4
num=5
object_scale=5
noobject_scale=1
class_scale=1
coord_scale=1
thresh=.6
rescore=1
"""
DIFFUSION = """\
data: {dataset: CIFAR10, image_size: 32, channels: 3, logit_transform: false, uniform_dequantization: false,
  gaussian_dequantization: false, random_flip: true, rescaled: true, num_workers: 0}
model: {type: simple, in_channels: 3, out_ch: 3, ch: 32, ch_mult: [1, 2], num_res_blocks: 1,
  attn_resolutions: [16], dropout: 0.1, var_type: fixedlarge, ema_rate: 0.9999, ema: true,
  resamp_with_conv: true}
diffusion: {beta_schedule: linear, beta_start: 0.0001, beta_end: 0.02, num_diffusion_timesteps: 1000}
training: {batch_size: 4, n_epochs: 2, n_iters: 5000, snapshot_freq: 5000, validation_freq: 2000}
sampling: {batch_size: 4, last_only: true}
optim: {weight_decay: 0.0, optimizer: Adam, lr: 0.0002, beta1: 0.9, amsgrad: false, eps: 0.00000001,
  grad_clip: 1.0}
"""
COORDINATES = """\
train_dataset:
  dataset: {name: image-folder, args: {root_path: data, repeat: 4, cache: in_memory}}
  wrapper:
    name: sr-implicit-downsampled
    args: {inp_size: 12, scale_max: 4, augment: true, sample_q: 128}
  batch_size: 4
val_dataset:
  dataset: {name: image-folder, args: {root_path: data, first_k: 10, cache: in_memory}}
  wrapper: {name: sr-implicit-downsampled, args: {inp_size: 12, scale_max: 4, sample_q: 128}}
  batch_size: 4
data_norm: {inp: {sub: [0.5], div: [0.5]}, gt: {sub: [0.5], div: [0.5]}}
model:
  name: liif
  args:
    encoder_spec: {name: edsr-baseline, args: {no_upsampling: true, n_resblocks: 2, n_feats: 16}}
    imnet_spec: {name: mlp, args: {out_dim: 3, hidden_list: [32, 32]}}
optimizer: {name: adam, args: {lr: 0.0001}}
epoch_max: 2
multi_step_lr: {milestones: [200, 400], gamma: 0.5}
epoch_val: 1
epoch_save: 100
"""
TWO_VIEWS = """\
network:
  name: resnet18
  fine_tune_from: 'resnet-18_40-epochs'
  projection_head: {mlp_hidden_size: 512, projection_size: 128}
data_transforms: {s: 1, input_shape: (96,96,3)}
trainer: {batch_size: 4, m: 0.996, checkpoint_interval: 5000, max_epochs: 1, num_workers: 0}
optimizer:
  params: {lr: 0.03, momentum: 0.9, weight_decay: 0.0004}
"""
NOISE_LEVELS = """\
training: {batch_size: 16, n_epochs: 2, n_iters: 200001, ngpu: 1, snapshot_freq: 5000, algo: dsm,
  anneal_power: 2.0}
data: {dataset: MNIST, image_size: 28, channels: 1, logit_transform: false, random_flip: false}
model: {sigma_begin: 1, sigma_end: 0.01, num_classes: 10, batch_norm: false, ngf: 8}
optim: {weight_decay: 0.0, optimizer: Adam, lr: 0.001, beta1: 0.9, amsgrad: false}
"""
AUGMENTED = """\
{"id": "small", "num_reps": 1, "dataset": "mnist",
 "model_configs": [{"type": "anode", "num_filters": 8, "augment_dim": 2, "time_dependent": true, "lr": 0.001,
                    "non_linearity": "relu", "weight_decay": 0.0, "validation": false}],
 "training_config": {"batch_size": 16, "record_freq": 10, "print_freq": 10, "epochs": 2}}
"""
CLICKS = """\
model_id: DeepFM
n_embed: 8
n_hidden: 32
activation: relu
bias: False
learning_rate: 0.001
batch_size: 64
embedding_weight_decay: 0.00001
net_weight_decay: 0.0
epochs: 2
decay_expand_rate: 1000
max_grad_norm: 1.0
"""
PIXELS = """\
{"img_size": [1, 16, 16], "batch_size": 8, "r_dim": 32, "h_dim": 32, "z_dim": 32,
 "num_context_range": [10, 100], "num_extra_target_range": [10, 100], "lr": 0.00004,
 "epochs": 2, "dataset": "mnist"}
"""


def configurations(home: Path) -> None:
    """Files of options of small sizes, one for each program that takes them from a file."""
    home.mkdir()
    (home / "adversaries.yaml").write_text(ADVERSARIES, "utf-8")
    (home / "diffusion.yml").write_text(DIFFUSION, "utf-8")
    (home / "coordinates.yaml").write_text(COORDINATES, "utf-8")
    (home / "two_views.yaml").write_text(TWO_VIEWS, "utf-8")
    (home / "noise_levels.yml").write_text(NOISE_LEVELS, "utf-8")
    (home / "augmented.json").write_text(AUGMENTED, "utf-8")
    (home / "clicks.yaml").write_text(CLICKS, "utf-8")
    (home / "pixels.json").write_text(PIXELS, "utf-8")
