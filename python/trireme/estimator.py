"""Trireme's models with scikit-learn's interface."""

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from trireme.data import Dataset
from trireme.trained import Model
from trireme.training import train

LINEAR = "input()\ndense(classes)\nsoftmax_loss()\n"


class TriremeClassifier(ClassifierMixin, BaseEstimator):
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
        self.mean_ = X.mean(axis=0) if self.standardise else numpy.zeros(X.shape[1])
        spread = X.std(axis=0) if self.standardise else numpy.ones(X.shape[1])
        self.scale_ = numpy.where(spread > 0, spread, 1)
        data = Dataset.from_arrays(self._scaled(X), labels, classes=len(self.classes_))
        self.model_ = train(self.model, data, epochs=self.epochs, batch=min(self.batch, len(X)), rate=self.rate, rule=self.rule,
                            seed=self.seed, threads=self.threads)
        return self

    def _scaled(self, X):
        return ((X - self.mean_) / self.scale_).astype(numpy.float32)

    def predict_proba(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return self.model_.predict(self._scaled(X)).astype(numpy.float64)

    def predict(self, X):
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

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
