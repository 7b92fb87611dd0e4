"""What the peers' models share with those of models/*.model."""
L2 = {"resnet20": 1e-4, "mobilenet": 4e-5}  # as in the models' own lines
LARGE = ("alexnet", "mobilenet")  # their steps take a second: one batch, and no steps but the first to warm up
MOBILE_BLOCKS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]  # channels, stride
