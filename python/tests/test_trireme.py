"""The package as its users see it. Run with the wheel installed: python -m unittest discover python/tests"""

import os
import pickle
import tempfile
import unittest

import numpy

import trireme

LINEAR = "input()\ndense(classes)\nsoftmax_loss()\n"


def halves(count=400, features=8):
    """Rows whose class is whether the first number is larger than the second."""
    x = numpy.random.default_rng(3).random((count, features), dtype=numpy.float32)
    return x, (x[:, 0] > x[:, 1]).astype(numpy.int64)


class Arrays(unittest.TestCase):
    def test_arrays_are_described_without_being_copied(self):
        x, y = halves()
        data = trireme.Dataset.from_arrays(x, y, class_names=["no", "yes"])
        self.assertEqual((len(data), data.shape, data.classes, data.class_names), (400, (8,), 2, ["no", "yes"]))

    def test_training_sees_what_is_written_into_the_array_later(self):
        x, y = halves()
        empty = numpy.zeros_like(x)
        data = trireme.Dataset.from_arrays(empty, y)
        empty[:] = x
        own, other = (trireme.train(LINEAR, d, epochs=5, rate=0.5, batch=20) for d in (trireme.Dataset.from_arrays(x, y), data))
        numpy.testing.assert_array_equal(own.predict(x), other.predict(x))

    def test_arrays_that_do_not_fit_are_refused(self):
        x, y = halves()
        with self.assertRaisesRegex(ValueError, "x has 400 examples, y has 5"):
            trireme.Dataset.from_arrays(x, y[:5])
        with self.assertRaisesRegex(ValueError, "two or more dimensions"):
            trireme.Dataset.from_arrays(x[0], y)
        with self.assertRaises(trireme.TriremeError):
            trireme.Dataset.from_arrays(x, y - 1)


class Training(unittest.TestCase):
    def setUp(self):
        self.x, self.y = halves()
        self.data = trireme.Dataset.from_arrays(self.x, self.y)

    def test_a_model_learns_and_predicts_probabilities(self):
        model = trireme.train(LINEAR, self.data, epochs=40, rate=0.5, rule="adagrad", batch=20)
        probabilities = model.predict(self.x)
        numpy.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
        accuracy = (probabilities.argmax(axis=1) == self.y).mean()
        self.assertGreater(accuracy, 0.95)
        self.assertAlmostEqual(model.evaluate(self.data)["accuracy"], accuracy, places=6)

    def test_it_learns_what_the_command_learns(self):
        """The same steps over the same examples as `trireme train`: equal to rounding, since threads add in another order."""
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            trireme.run("softmax", data="digits:300", steps=12, batch=25, rate=0.1, rule="sgd", threads=1, quiet=True, out=run)
            ours = trireme.train("softmax", "digits:300", steps=12, batch=25, rate=0.1, rule="sgd", threads=1)
            theirs = trireme.load(run).parameters
            for name, values in ours.parameters.items():
                numpy.testing.assert_allclose(values, theirs[name], atol=1e-6, err_msg=name)

    def test_averages_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            trireme.run("softmax", data="digits:300", steps=12, batch=25, rate=0.1, average=0.9, threads=1, quiet=True, out=run)
            ours = trireme.train("softmax", "digits:300", steps=12, batch=25, rate=0.1, average=0.9, threads=1).parameters
            plain = trireme.train("softmax", "digits:300", steps=12, batch=25, rate=0.1, threads=1).parameters
            for name, values in trireme.load(run).parameters.items():
                numpy.testing.assert_allclose(ours[name], values, atol=1e-6, err_msg=name)
                self.assertGreater(abs(plain[name] - values).max(), 1e-3)

    def test_progress_is_told_and_may_end_the_training(self):
        seen = []
        trireme.train(LINEAR, self.data, epochs=3, batch=100, progress=seen.append)
        self.assertEqual([p.step for p in seen], list(range(1, 13)))
        self.assertEqual((seen[-1].examples, seen[-1].epoch), (1200, 2))
        seen.clear()
        trireme.train(LINEAR, self.data, epochs=3, batch=100, progress=lambda p: seen.append(p) or p.step < 5)
        self.assertEqual(len(seen), 5)

    def test_a_checkpoint_goes_from_here_to_the_command_and_back(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.safetensors")
            model = trireme.train("softmax", "digits:300", epochs=2, out=path)
            again = os.path.join(folder, "copy.safetensors")
            model.save(again)
            summary = trireme.run("softmax", data="digits:300", init=again, steps=1, rate=1e-30, quiet=True, out=os.path.join(folder, "run"))
            figures = trireme.load(path).evaluate(trireme.Dataset.open("digits:300", part="test"))
            self.assertAlmostEqual(summary["test_loss"], figures["loss"], places=4)

    def test_another_table_is_read_with_the_categories_of_training(self):
        """The second table lacks a category and a class, so that by itself it would number the others anew."""
        with tempfile.TemporaryDirectory() as folder:
            first, second, run = (os.path.join(folder, name) for name in ("first.csv", "second.csv", "run"))
            rows = [("%s,%s" % pair, "%.1f" % number) for number in range(4) for pair in (("cat", "no"), ("dog", "yes"), ("eel", "so"))]
            for path, left_out in ((first, "none"), (second, "cat")):
                with open(path, "w") as file:
                    file.writelines(["kind,size,answer\n"] + ["%s,%s,%s\n" % (p.split(",")[0], n, p.split(",")[1]) for p, n in rows
                                                              if not p.startswith(left_out)])
            model = trireme.train(LINEAR, trireme.Dataset.open(first, label="answer"), epochs=60, rate=0.5, batch=12, out=run + ".safetensors")
            self.assertEqual(model.evaluate(first)["accuracy"], 1)
            self.assertEqual(model.evaluate(second)["accuracy"], 1)
            self.assertEqual(model.evaluate(model.open(second))["examples"], 8)
            with self.assertRaisesRegex(ValueError, "Model.open"):
                model.evaluate(trireme.Dataset.open(second, label="answer"))
            with self.assertRaisesRegex(trireme.TriremeError, "nowhere.csv"):
                model.evaluate("nowhere.csv")

    def test_mistakes_are_told_in_the_library_s_words(self):
        with self.assertRaisesRegex(trireme.TriremeError, "did you mean 'lenet'"):
            trireme.train("lenett", self.data)
        with self.assertRaisesRegex(trireme.TriremeError, "model:2:1"):
            trireme.train("input()\nthick(2)\nsoftmax_loss()\n", self.data)
        with self.assertRaisesRegex(trireme.JobFailed, "neither a known data source"):
            trireme.run("softmax", data="nowhere")
        with self.assertRaisesRegex(ValueError, "the model takes"):
            trireme.train(LINEAR, self.data, steps=1).predict(self.x[:, :3])


class Jobs(unittest.TestCase):
    def test_several_workers_train_by_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            summary = trireme.run("softmax", data="digits:300", steps=6, strategy="ps", workers=2, sync=True, quiet=True,
                                  out=os.path.join(folder, "run"))
            self.assertEqual((summary["workers"], summary["mode"], summary["steps"]), (2, "sync", 6))


class Estimator(unittest.TestCase):
    def test_scikit_learn_s_own_checks_hold(self):
        from sklearn.utils.estimator_checks import check_estimator

        from trireme.estimator import TriremeClassifier

        check_estimator(TriremeClassifier(), on_skip=None)

    def test_scikit_learn_accepts_the_regressor(self):
        from sklearn.utils.estimator_checks import check_estimator

        from trireme.estimator import TriremeRegressor

        check_estimator(TriremeRegressor(), on_skip=None)

    def test_numbers_are_learnt_as_least_squares_does(self):
        from sklearn.linear_model import LinearRegression

        from trireme.estimator import TriremeRegressor

        random = numpy.random.default_rng(5)
        x = random.normal(size=(400, 6))
        y = x @ random.normal(size=(6, 2)) + 3 + 0.1 * random.normal(size=(400, 2))
        ours = TriremeRegressor(epochs=200, batch=400, rate=0.5).fit(x, y).predict(x)
        numpy.testing.assert_allclose(ours, LinearRegression().fit(x, y).predict(x), atol=1e-3)

    def test_targets_of_arrays_are_numbers_or_sets(self):
        x = numpy.linspace(-1, 1, 64, dtype=numpy.float32).reshape(-1, 1)
        data = trireme.Dataset.from_arrays(x, 3 * x[:, 0] + 1)
        self.assertEqual((data.outputs, data.classes), (1, 0))
        model = trireme.train("input()\ndense(outputs)\nmse_loss()\n", data, epochs=60, batch=16, rate=0.2)
        numpy.testing.assert_allclose(model.predict(x)[:, 0], 3 * x[:, 0] + 1, atol=1e-2)
        self.assertGreater(model.evaluate(data)["r2"], 0.999)
        both = numpy.column_stack([x[:, 0] > 0, x[:, 0] > 0.5]).astype(int)
        data = trireme.Dataset.from_arrays(x, both, sets=True)
        model = trireme.train("input()\ndense(outputs)\nsigmoid_loss()\n", data, epochs=200, batch=16, rate=5)
        self.assertGreater(model.evaluate(data)["accuracy"], 0.95)
        self.assertEqual(model.predict(x).shape, (64, 2))
        with self.assertRaisesRegex(trireme.TriremeError, "learns classes, and the data is labelled with numbers"):
            trireme.train("input()\ndense(2)\nsoftmax_loss()\n", data)

    def test_an_estimator_is_pickled_with_its_model(self):
        from trireme.estimator import TriremeClassifier

        x, y = halves()
        fitted = TriremeClassifier(epochs=20).fit(x, numpy.array(["no", "yes"])[y])
        again = pickle.loads(pickle.dumps(fitted))
        self.assertEqual(list(again.predict(x)), list(fitted.predict(x)))
        self.assertGreater(fitted.score(x, numpy.array(["no", "yes"])[y]), 0.9)


if __name__ == "__main__":
    unittest.main()
