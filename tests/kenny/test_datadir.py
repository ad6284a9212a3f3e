"""The data folder."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from kenny import datadir


class TestSecretKey:
    def test_is_made_once(self, tmp_path: Path) -> None:
        first = datadir.secret_key(tmp_path)

        assert datadir.secret_key(tmp_path) == first
        assert len(first) > 50
        assert stat.S_IMODE((tmp_path / datadir.SECRET).stat().st_mode) == 0o600

    def test_is_one_for_many_first_starts_at_once(self, tmp_path: Path) -> None:
        with ThreadPoolExecutor(16) as pool:
            keys = set(pool.map(lambda _: datadir.secret_key(tmp_path), range(64)))

        assert len(keys) == 1
        assert [path.name for path in tmp_path.iterdir()] == [datadir.SECRET]

    def test_replaces_a_file_that_a_full_disk_left_empty(self, tmp_path: Path) -> None:
        (tmp_path / datadir.SECRET).touch()

        assert datadir.secret_key(tmp_path) == datadir.secret_key(tmp_path) != ""


class TestPrepare:
    def test_closes_a_folder_that_others_could_read(self, tmp_path: Path) -> None:
        folder = tmp_path / "open"
        folder.mkdir(mode=0o755)

        datadir.prepare(folder)

        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    def test_names_the_variable_when_there_can_be_none(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()

        with pytest.raises(ImproperlyConfigured, match=r"^KENNY_DATA_DIR"):
            datadir.prepare(tmp_path / "file" / "below")


class TestLock:
    def test_is_taken_by_one(self, tmp_path: Path) -> None:
        held = datadir.lock(tmp_path)

        with pytest.raises(datadir.Occupied):
            datadir.lock(tmp_path)

        os.close(held)
        os.close(datadir.lock(tmp_path))
