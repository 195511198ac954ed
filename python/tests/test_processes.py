# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, Ctrl-C, and the GIL."""
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from support import Case, np, patches

import adasample


def describe_in_child(model, queue):
    """The descriptors' bytes, or what was complained of; model None: one that the child loads itself."""
    try:
        queue.put((model or adasample.load()).describe(patches(40)).tobytes())
    except adasample.Error as error:
        queue.put(str(error))


class Processes(Case):
    def test_threads_share_a_model(self):
        model, given = adasample.load(), [patches(100, seed) for seed in range(8)]
        expected = [model.describe(p).tobytes() for p in given]
        found = [None] * len(given)

        def work(i):
            for _ in range(3):
                found[i] = model.describe(given[i]).tobytes()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(given))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, expected)

    def test_the_gil_is_free_while_describing(self):
        model, many = adasample.load(), np.tile(patches(500), (8, 1, 1))  # one call of C++
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0.001)

        counter = threading.Thread(target=count)
        counter.start()
        before = counted[0]
        model.describe(many)
        during = counted[0] - before
        done.set()
        counter.join()
        self.assertGreater(during, 5)

    def forked(self, model):
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=describe_in_child, args=(model, queue))
        child.start()
        answer = queue.get(timeout=60)
        child.join(60)
        self.assertEqual(child.exitcode, 0)
        return answer

    def test_a_model_in_a_forked_child(self):
        # In a process of its own, which has not described yet.
        code = ("import test_processes as t, adasample\n"
                "case = t.Processes('forked')\n"
                "first = case.forked(None)\n"
                "model = adasample.load()\n"
                "print(case.forked(model))\n"
                "print(first == model.describe(t.patches(40)).tobytes())\n"
                "print(case.forked(model))\n"
                "print(case.forked(None))\n")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertEqual(done.returncode, 0, done.stderr)
        loaded, first, used, again = done.stdout.splitlines()
        self.assertEqual(first, "True")  # before the parent had any
        for complaint in (loaded, used, again):
            self.assertIn("forked from one that had started threads", complaint)

    def test_spawned_workers_open_their_own(self):
        context = multiprocessing.get_context("spawn")
        queue, model = context.Queue(), adasample.load()
        child = context.Process(target=describe_in_child, args=(model, queue))
        child.start()
        self.assertEqual(queue.get(timeout=120), model.describe(patches(40)).tobytes())
        child.join(60)

    def test_ctrl_c(self):
        code = ("import numpy as np, adasample, sys\n"
                "model = adasample.load()\n"
                "many = np.zeros((400000, 32, 32), np.uint8)\n"
                "model.describe(many[:10]); print('ready', flush=True)\n"
                "try:\n    model.describe(many)\nexcept KeyboardInterrupt:\n    print('interrupted', model.describe(many[:3]).shape)\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.5)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=60)
        self.assertEqual((rest, child.returncode), ("interrupted (3, 128)\n", 0))
        self.assertLess(time.monotonic() - begin, 20)  # all of them take a minute or more

    def test_garbage_is_collected_with_threads_alive(self):
        for _ in range(5):
            adasample.load().describe(patches(70))


if __name__ == "__main__":
    unittest.main()
