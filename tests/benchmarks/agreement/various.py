"""Data of more kinds, made up: sounds, lists of pictures, small networks of people, and files of options."""

from __future__ import annotations

import gzip
import json
import math
import pickle
import random
import struct
import wave
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.agreement.arrays import archive, array
from tests.benchmarks.agreement.pickles import Array
from tests.benchmarks.programs.data import png

PEOPLE, NETWORKS, MEMBERS = 120, 240, 10

SINC = """\
[data]
tr_lst=sounds/train.scp
te_lst=sounds/test.scp
lab_dict=sounds/labels.npy
data_folder=sounds
output_folder=kept
pt_file=none
[windowing]
fs=16000
cw_len=200
cw_shift=10
[cnn]
cnn_N_filt=8,6,6
cnn_len_filt=251,5,5
cnn_max_pool_len=3,3,3
cnn_use_laynorm_inp=True
cnn_use_batchnorm_inp=False
cnn_use_laynorm=True,True,True
cnn_use_batchnorm=False,False,False
cnn_act=leaky_relu,leaky_relu,leaky_relu
cnn_drop=0.0,0.0,0.0
[dnn]
fc_lay=32,32,32
fc_drop=0.0,0.0,0.0
fc_use_laynorm_inp=True
fc_use_batchnorm_inp=False
fc_use_batchnorm=True,True,True
fc_use_laynorm=False,False,False
fc_act=leaky_relu,leaky_relu,leaky_relu
[class]
class_lay=8
class_drop=0.0
class_use_laynorm_inp=False
class_use_batchnorm_inp=False
class_use_batchnorm=False
class_use_laynorm=False
class_act=softmax
[optimization]
lr=0.001
batch_size=8
N_epochs=3
N_batches=8
N_eval_epoch=2
seed=1234
"""
META = {
    "batch_size": 2,
    "image_height": 28,
    "image_width": 28,
    "image_channels": 1,
    "gpu_to_use": 0,
    "num_dataprovider_workers": 0,
    "max_models_to_save": 5,
    "dataset_name": "omniglot_small",
    "dataset_path": "omniglot_small",
    "reset_stored_paths": False,
    "experiment_name": "kept",
    "train_seed": 0,
    "val_seed": 0,
    "train_val_test_split": [0.5, 0.25, 0.25],
    "indexes_of_folders_indicating_class": [-3, -2],
    "load_from_npz_files": False,
    "sets_are_pre_split": False,
    "load_into_memory": True,
    "init_inner_loop_learning_rate": 0.1,
    "train_in_stages": False,
    "multi_step_loss_num_epochs": 10,
    "minimum_per_task_contribution": 0.01,
    "num_evaluation_tasks": 8,
    "learnable_per_layer_per_step_inner_loop_learning_rate": True,
    "enable_inner_loop_optimizable_bn_params": False,
    "total_epochs": 5,
    "total_iter_per_epoch": 6,
    "continue_from_epoch": -2,
    "evaluate_on_test_set_only": False,
    "max_pooling": True,
    "per_step_bn_statistics": True,
    "learnable_batch_norm_momentum": False,
    "evalute_on_test_set_only": False,
    "learnable_bn_gamma": True,
    "learnable_bn_beta": True,
    "weight_decay": 0.0,
    "dropout_rate_value": 0.0,
    "min_learning_rate": 0.00001,
    "meta_learning_rate": 0.001,
    "total_epochs_before_pause": 100,
    "first_order_to_second_order_epoch": -1,
    "norm_layer": "batch_norm",
    "cnn_num_filters": 8,
    "num_stages": 4,
    "conv_padding": True,
    "number_of_training_steps_per_iter": 3,
    "number_of_evaluation_steps_per_iter": 3,
    "cnn_blocks_per_stage": 1,
    "num_classes_per_set": 3,
    "num_samples_per_class": 1,
    "num_target_samples": 1,
    "second_order": True,
    "use_multi_step_loss_optimization": True,
}
ANALYTIC = {
    "model_name": "acil",
    "prefix": "small",
    "memory_size": 0,
    "dataset": "cifar100",
    "seed": [1993],
    "shuffle": True,
    "device": ["0"],
    "convnet_type": "resnet32",
    "init_cls": 10,
    "increment": 10,
    "num_workers": 0,
    "init_batch_size": 32,
    "IL_batch_size": 32,
    "inplace_repeat": 1,
    "configurations": {
        "cifar100": {
            "buffer_size": 256,
            "gamma": 0.1,
            "init_weight_decay": 5e-4,
            "scheduler": {
                "type": "MultiStep",
                "init_lr": 0.1,
                "init_epochs": 3,
                "warmup": 0,
                "milestones": [1],
                "decay": 0.1,
            },
        }
    },
}
DIFFUSED = """\
base_dir: kept
log_level: INFO
data: {batch_size: 16, dataset_dir: data/avenues, test_batch_size: 8, val_batch_size: 8,
  graph_pkl_filename: data/sensor_graph/adj_mx.pkl}
model: {cl_decay_steps: 2000, filter_type: dual_random_walk, horizon: 12, input_dim: 2, l1_decay: 0,
  max_diffusion_step: 2, num_nodes: 207, num_rnn_layers: 2, output_dim: 1, rnn_units: 8, seq_len: 12,
  use_curriculum_learning: true}
train: {base_lr: 0.01, dropout: 0, epoch: 0, epochs: 2, epsilon: 0.001, global_step: 0, lr_decay_ratio: 0.1,
  max_grad_norm: 5, max_to_keep: 100, min_learning_rate: 0.000002, optimizer: adam, patience: 50,
  steps: [20, 30, 40, 50], test_every_n_epochs: 1}
"""
TRUNCATED = """\
environment:
    type: "CartPoleMasked"
gamma: 0.99
lamda: 0.95
updates: 6
epochs: 2
n_workers: 2
worker_steps: 32
n_mini_batch: 2
value_loss_coefficient: 0.2
hidden_layer_size: 32
max_grad_norm: 0.5
recurrence:
    sequence_length: 8
    hidden_state_size: 16
    layer_type: lstm
    reset_hidden_state: True
learning_rate_schedule: {initial: 3.0e-4, final: 3.0e-6, power: 1.0, max_decay_steps: 100}
beta_schedule: {initial: 0.001, final: 0.0001, power: 1.0, max_decay_steps: 100}
clip_range_schedule: {initial: 0.2, final: 0.2, power: 1.0, max_decay_steps: 1000}
"""
PROXIMAL = """\
[ppo]
entropy_coef = 1e-2
critic_coef = 0.5
actor_lr = 3e-4
critic_lr = 3e-4
hidden_dim = 32
gamma = 0.99
lambda_ = 0.95
max_clip = 0.2
train_epoch = 3
traj_length = 256
batch_size = 64
max_grad_norm = 0.5
layer_num = 3
activation_function = torch.tanh
last_activation = None
trainable_std = True
on_policy = True
"""
FEW_SHOTS = """\
import os


PATH = os.path.dirname(os.path.realpath(__file__))

DATA_PATH = PATH + "/data"

EPSILON = 1e-8
"""
CLOSER = """\
save_dir                    = './kept/'
data_dir = {}
data_dir['CUB']             = './filelists/CUB/'
data_dir['miniImagenet']    = './filelists/miniImagenet/'
data_dir['omniglot']        = './filelists/omniglot/'
data_dir['emnist']          = './filelists/emnist/'
"""


class Keyed:
    """A dictionary in an array of NumPy, once it is unpickled."""

    def __init__(self, content: dict[str, int]) -> None:
        self._expression = f"__import__('numpy').array({content!r}, dtype=object)"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return eval, (self._expression,)


def options_of_programs(home: Path) -> None:
    """Files of options, all of small sizes."""
    home.mkdir()
    for name, content in (
        ("sinc.cfg", SINC),
        ("meta.json", json.dumps(META)),
        ("analytic.json", json.dumps(ANALYTIC)),
        ("diffused.yaml", DIFFUSED),
        ("truncated.yaml", TRUNCATED),
        ("proximal.ini", PROXIMAL),
        ("few_shots.py", FEW_SHOTS),
        ("closer.py", CLOSER),
    ):
        (home / name).write_text(content, "utf-8")


def sounds(home: Path) -> None:
    """What eight speakers said, as sounds, with lists of these and the speaker of each."""
    home.mkdir()
    chance = random.Random("sounds")
    speakers = {}
    for part, count in (("train", 4), ("test", 1)):
        names = []
        for speaker in range(8):
            for number in range(count):
                name = f"{part}{speaker}_{number}.wav"
                with wave.open(str(home / name), "wb") as file:
                    file.setnchannels(1)
                    file.setsampwidth(2)
                    file.setframerate(16000)
                    file.writeframes(
                        struct.pack("<8000h", *(chance.randrange(-9000, 9000) for _ in range(8000)))
                    )
                names.append(name)
                speakers[name] = speaker
        (home / f"{part}.scp").write_text("".join(f"{name}\n" for name in names), "utf-8")
    (home / "labels.npy").write_bytes(pickle.dumps(Keyed(speakers)))


def small_letters(home: Path) -> None:
    """Small grey pictures of letters, a folder a letter, in a folder for each alphabet; lists of these."""
    chance = random.Random("small_letters")
    for part in ("background", "evaluation"):
        for letter in range(16):
            folder = home / f"images_{part}" / f"alphabet{letter % 4}" / f"character{letter:02}"
            folder.mkdir(parents=True)
            for number in range(20):
                (folder / f"{letter:02}_{number:02}.png").write_bytes(png(28, 28, chance, grey=True))
    for name, part in (("base", "background"), ("val", "evaluation"), ("novel", "evaluation")):
        pictures = sorted((home / f"images_{part}").rglob("*.png"))
        content = {
            "label_names": [str(letter) for letter in range(16)],
            "image_names": [f"filelists/omniglot/{path.relative_to(home)}" for path in pictures],
            "image_labels": [int(path.name[:2]) for path in pictures],
        }
        (home / f"{name}.json").write_text(json.dumps(content), "utf-8")


def related_words(home: Path) -> None:
    """Which words of a sentence belong together, for each third line of a file: none do."""
    home.mkdir()
    none = Array((1, 1), [1.0])
    (home / "sentences.graph").write_bytes(pickle.dumps(dict.fromkeys(range(0, 9000, 3), none)))


def avenues(home: Path) -> None:
    """Windows of what 207 sensors count, with what follows them."""
    home.mkdir()
    chance = random.Random("avenues")
    for part, count in (("train", 160), ("val", 40), ("test", 40)):
        shape = (count, 12, 207, 2)
        x, y = (array(shape, (chance.gauss(60, 9) for _ in range(math.prod(shape)))) for _ in range(2))
        archive(home / f"{part}.npz", x=x, y=y)


def surrounded(home: Path) -> None:
    """Colour photographs of noise, lists of these with the boxes in each, and weights of no layer."""
    (home / "pictures").mkdir(parents=True)
    chance = random.Random("surrounded")
    for part, count in (("train", 32), ("val", 32)):
        rows = []
        for number in range(count):
            name = f"pictures/{part}{number:02}.png"
            (home / name).write_bytes(png(128, 128, chance))
            boxes = (
                f"{x},{y},{x + 40},{y + 40},{chance.randrange(20)}"
                for x, y in ((chance.randrange(80), chance.randrange(80)) for _ in range(3))
            )
            rows.append(f"{home.name}/{name} {' '.join(boxes)}\n")
        (home / f"2007_{part}.txt").write_text("".join(rows), "utf-8")
    # as torch wrote files before 1.6
    flags = {"protocol_version": 1001, "little_endian": True}
    parts: tuple[object, ...] = (0x1950A86A20F9469CFC6C, 1001, flags, OrderedDict(), [])
    (home / "weights.pth").write_bytes(b"".join(pickle.dumps(part, 2) for part in parts))


def acquaintances(home: Path) -> None:
    """Small networks of people, who of these had been convinced, what is known of all, and their vectors."""
    home.mkdir()
    chance = random.Random("acquaintances")
    size = NETWORKS * MEMBERS
    (home / "adjacency_matrix.npy").write_bytes(
        array((NETWORKS, MEMBERS, MEMBERS), chance.choices((0.0, 1.0), (2, 1), k=size * MEMBERS))
    )
    (home / "influence_feature.npy").write_bytes(
        array((NETWORKS, MEMBERS, 2), chance.choices((0.0, 1.0), k=2 * size))
    )
    (home / "label.npy").write_bytes(whole((NETWORKS,), [number % 2 for number in range(NETWORKS)]))
    (home / "vertex_id.npy").write_bytes(
        whole((NETWORKS, MEMBERS), [chance.randrange(PEOPLE) for _ in range(size)])
    )
    (home / "vertex_feature.npy").write_bytes(
        array((PEOPLE, 6), (chance.gauss(0, 1) for _ in range(6 * PEOPLE)))
    )
    rows = [f"{PEOPLE} 8"]
    rows += (f"{who} {' '.join(f'{chance.gauss(0, 1):.3f}' for _ in range(8))}" for who in range(PEOPLE))
    (home / "deepwalk.emb_8").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def reviews(home: Path) -> None:
    """What people said of things and how they liked them, in two parts, and vectors of words."""
    home.mkdir()
    for part, count in (("train", 160), ("test", 64)):
        chance = random.Random(f"reviews {part}")
        rows = (
            f'"{1 + number % 2}","{"".join(chance.choices("abcdefghij ", k=chance.randint(60, 300)))}"'
            for number in range(count)
        )
        (home / f"{part}.csv").write_text("".join(f"{row}\n" for row in rows), "utf-8")
    chance = random.Random("reviews")
    words = ("the", "of", "screen", "good", "battery", "it", "and", "keyboard", "price", "is")
    vectors = (f"{word} {' '.join(f'{chance.gauss(0, 1):.3f}' for _ in range(50))}\n" for word in words)
    (home / "glove.twitter.27B.50d.txt").write_text("".join(vectors), "utf-8")


def all_packed_digits(home: Path) -> None:
    """Digits and their labels as MNIST's files have them, compressed, for training and for testing."""
    home.mkdir()
    for part, count in (("train", 2000), ("t10k", 600)):
        chance = random.Random(f"all_packed_digits {part}")
        pixels = struct.pack(">4I", 0x0803, count, 28, 28) + chance.randbytes(count * 28 * 28)
        labels = struct.pack(">2I", 0x0801, count) + bytes(number % 10 for number in range(count))
        (home / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(pixels, mtime=0))
        (home / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels, mtime=0))


def whole(shape: tuple[int, ...], numbers: Iterable[int]) -> bytes:
    """A file in NumPy's format, with these whole numbers."""
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1")
    return start + struct.pack(f"<{math.prod(shape)}q", *numbers)


RECIPES = (
    options_of_programs,
    sounds,
    small_letters,
    related_words,
    avenues,
    surrounded,
    acquaintances,
    reviews,
    all_packed_digits,
)
