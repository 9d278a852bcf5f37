"""Unpacks real PyTorch code to measure with: `python -m tests.benchmarks.fetch_corpus DIRECTORY`.

pip downloads the wheels from the index that it is set up for. Nothing is installed, and nothing of it is run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

SAMPLES: dict[str, tuple[str, ...]] = {
    "first": (
        "transformers==5.23.0",
        "torchvision==0.29.2",
        "lightning==2.6.6",
        "accelerate==1.15.0",
        "peft==0.21.2",
        "trl==1.16.0",
        "ultralytics==8.4.190",
        "sentence-transformers==6.2.0",
        "torchmetrics==1.9.0",
        "botorch==0.18.1",
        "gpytorch==1.15.2",
        "pyro-ppl==1.9.2",
        "stable-baselines3==2.9.2",
        "einops==0.8.2",
    ),
    "second": (
        "diffusers==0.42.1",
        "timm==1.0.31",
        "kornia==0.9.0",
        "torch_geometric==2.8.1",
        "speechbrain==1.1.2",
        "monai==1.6.1",
        "captum==0.9.0",
        "pytorch-forecasting==1.8.0",
    ),
    "third": (
        "avalanche_lib==0.6.0",
        "catalyst==22.4",
        "darts==0.48.1",
        "deepchem==2.8.0",
        "denoising_diffusion_pytorch==2.3.4",
        "e3nn==0.6.0",
        "easyocr==1.7.2",
        "espnet==202511",
        "facenet_pytorch==2.6.0",
        "fastai==2.8.12",
        "flair==0.15.1",
        "gluonts==0.17.0",
        "lpips==0.1.4",
        "mmcv_lite==2.2.0",
        "mmengine==0.10.7",
        "neuralforecast==3.3.0",
        "nnsight==0.8.1",
        "nnunetv2==2.8.1",
        "opacus==1.6.0",
        "open_clip_torch==3.3.0",
        "optimum==2.3.0",
        "piq==0.8.0",
        "pytorch_ignite==0.5.5",
        "pytorch_metric_learning==2.9.0",
        "pytorch_tabnet==4.1.0",
        "pytorch_tabular==1.2.0",
        "pyvene==0.1.8",
        "recbole==1.2.1",
        "rl_games==1.6.5",
        "sae_lens==6.54.12",
        "sbi==0.27.0",
        "schnetpack==2.1.1",
        "segmentation_models_pytorch==0.6.0",
        "skorch==1.4.0",
        "tensordict==0.15.3",
        "tianshou==2.0.1",
        "torchdiffeq==0.2.5",
        "torchio==1.2.1",
        "torchrl==0.14.1",
        "torchxrayvision==1.5.7",
        "transformer_lens==4.3.0",
        "tsai==1.0.1",
        "vit_pytorch==1.26.11",
        "x_transformers==2.31.10",
    ),
    "fourth": (
        "allennlp==2.10.1",
        "anomalib==2.7.0",
        "asteroid==0.7.0",
        "audiolm_pytorch==2.4.0",
        "cellpose==4.2.1.1",
        "coqui_tts==0.28.0",
        "dalle2_pytorch==1.15.6",
        "deepxde==1.15.0",
        "imagen_pytorch==2.1.0",
        "laplace_torch==0.3",
        "lightly==1.6.0",
        "litgpt==0.5.13",
        "mmdet==3.3.0",
        "mmpretrain==1.2.0",
        "mmsegmentation==1.2.2",
        "nemo_toolkit==3.0.0",
        "pyannote_audio==4.0.7",
        "pykeen==1.11.1",
        "pytorch_msssim==1.0.0",
        "pytorch_widedeep==1.7.0",
        "sb3_contrib==2.9.2",
        "sglang==0.5.23",
        "stanza==1.15.0",
        "super_gradients==3.7.1",
        "tabpfn==9.2.0",
        "torch_audiomentations==0.12.0",
        "torchao==0.18.0",
        "torchgeo==0.8.1",
        "torchsde==0.2.6",
        "torchtune==0.6.1",
        "vector_quantize_pytorch==1.32.0",
        "xformers==0.0.35",
        "zuko==1.6.0",
    ),
}
"""The rules were measured and shaped on the first sample, and tried on each further one when they were done
with those before it."""


def fetch(pin: str, directory: Path) -> None:
    """Unpack the Python files of one package into a directory of its name, if that is not there yet.

    Raises:
        subprocess.CalledProcessError: pip could not download it; pip has said why.
    """
    home = directory / pin.partition("==")[0]
    if home.exists():
        return
    with tempfile.TemporaryDirectory() as wheels:
        download = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:")
        subprocess.run([*download, "--dest", wheels, pin], check=True)
        for wheel in Path(wheels).glob("*.whl"):
            unpack(wheel, home)


def unpack(wheel: Path, home: Path) -> None:
    """Unpack the Python files of one wheel."""
    with ZipFile(wheel) as archive:
        archive.extractall(home, [name for name in archive.namelist() if name.endswith(".py")])


def main(arguments: list[str] | None = None) -> int:
    """Fetch all that is missing. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fetch_corpus", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY")
    for sample in list(SAMPLES)[1:]:
        parser.add_argument(
            f"--{sample}",
            dest="sample",
            action="store_const",
            const=sample,
            help=f"the packages of the {sample} sample instead",
        )
    options = parser.parse_args(arguments)
    directory: Path = options.directory
    try:
        for pin in SAMPLES[options.sample or "first"]:
            fetch(pin, directory)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{error.cmd[-1]}: pip could not download it; run this again to fetch the rest\n")
        return 2
    sys.stdout.write(f"{sum(1 for _ in directory.rglob('*.py'))} files in {directory}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
