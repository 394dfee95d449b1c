"""Synthetic digits."""
import numpy as np
import mindspore.dataset as ds


def _flip(image):
    return image[:, ::-1]


def create_dataset(num_samples, num_classes, batch_size):
    """Noisy 8-bit copies of one 28 x 28 pattern for each class."""
    ds.config.set_enable_autotune(True)

    rng = np.random.default_rng(0)
    patterns = rng.integers(0, 256, (num_classes, 28, 28))
    labels = rng.integers(0, num_classes, num_samples)
    noise = rng.normal(0, 40, (num_samples, 28, 28))
    images = np.clip(patterns[labels] + noise, 0, 255)

    data = {"image": images.astype(np.uint8), "label": labels.astype(np.int32)}
    dataset = ds.NumpySlicesDataset(data, shuffle=True)
    dataset = dataset.map(_flip, input_columns=["image"])
    return dataset.batch(batch_size, drop_remainder=True)
