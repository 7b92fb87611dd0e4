"""Trireme's models with scikit-learn's interface."""

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from trireme.data import Dataset
from trireme.trained import Model
from trireme.training import train

LINEAR = "input()\ndense(classes)\nsoftmax_loss()\n"
LEAST_SQUARES = "input()\ndense(outputs)\nmse_loss()\n"


class _Estimator(BaseEstimator):
    """What a classifier and a regressor share: rows of numbers, standardised, and a model trained on them."""

    def _train(self, X, labels, **about):
        self.mean_ = X.mean(axis=0) if self.standardise else numpy.zeros(X.shape[1])
        spread = X.std(axis=0) if self.standardise else numpy.ones(X.shape[1])
        self.scale_ = numpy.where(spread > 0, spread, 1)
        data = Dataset.from_arrays(self._scaled(X), labels, **about)
        return train(self.model, data, epochs=self.epochs, batch=min(self.batch, len(X)), rate=self.rate, rule=self.rule, seed=self.seed,
                     threads=self.threads)

    def _scaled(self, X):
        return ((X - self.mean_) / self.scale_).astype(numpy.float32)

    def _outputs(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return self.model_.predict(self._scaled(X)).astype(numpy.float64)

    def __getstate__(self):
        """With the model's checkpoint, so that a pickled estimator is whole."""
        state = super().__getstate__()
        if "model_" in state:
            state = dict(state, model_=state["model_"].path.read_bytes())
        return state

    def __setstate__(self, state):
        if isinstance(state.get("model_"), bytes):
            state = dict(state, model_=Model.in_temporary_file(lambda path: path.write_bytes(state["model_"])))
        super().__setstate__(state)


class TriremeClassifier(ClassifierMixin, _Estimator):
    """A classifier of rows of numbers; the default model is softmax regression on standardised features.

    model: a .model text or file that takes rows of numbers. The rest are the settings of trireme.train.
    """

    def __init__(self, model=LINEAR, epochs=50, batch=32, rate=0.1, rule="adagrad", seed=1, threads=1, standardise=True):
        self.model = model
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.rule = rule
        self.seed = seed
        self.threads = threads
        self.standardise = standardise

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, labels = numpy.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class, and a classifier needs samples of at least 2 classes in the data")
        self.model_ = self._train(X, labels, classes=len(self.classes_))
        return self

    def predict_proba(self, X):
        return self._outputs(X)

    def predict(self, X):
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]


class TriremeRegressor(RegressorMixin, _Estimator):
    """A regressor on rows of numbers; the default model is least squares on standardised features and targets.

    y may have several columns. model: a .model text or file that ends in mse_loss() or huber_loss(). The rest are the settings of
    trireme.train.
    """

    def __init__(self, model=LEAST_SQUARES, epochs=100, batch=32, rate=0.1, rule="adagrad", seed=1, threads=1, standardise=True):
        self.model = model
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.rule = rule
        self.seed = seed
        self.threads = threads
        self.standardise = standardise

    def fit(self, X, y):
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True)
        y = numpy.asarray(y, dtype=numpy.float64)
        self.single_ = y.ndim == 1
        rows = y.reshape(len(y), -1)
        spread = rows.std(axis=0)
        self.y_mean_, self.y_scale_ = rows.mean(axis=0), numpy.where(spread > 0, spread, 1)
        self.model_ = self._train(X, ((rows - self.y_mean_) / self.y_scale_).astype(numpy.float32))
        return self

    def predict(self, X):
        rows = self._outputs(X) * self.y_scale_ + self.y_mean_
        return rows[:, 0] if self.single_ else rows

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
