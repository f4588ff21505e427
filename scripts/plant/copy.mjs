import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage']);
/** What the tests need besides the packages. */
const BESIDES = [
  'jest.config.js',
  'package.json',
  '.ci',
  'scripts/jest-setup.mjs',
  'scripts/jest-long-first.mjs',
  'scripts/jest-servers.mjs',
  'scripts/jest-servers-end.mjs',
];

/** A copy of the packages outside the tree, in which faults are planted. It shares the installed modules. */
export class Copy {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-plant-')));

  constructor(root) {
    cpSync(join(root, 'packages'), join(this.folder, 'packages'), {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(basename(path)),
    });
    for (const path of BESIDES) cpSync(join(root, path), join(this.folder, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    for (const name of readdirSync(join(root, 'packages')))
      this.#link(root, join('packages', name, 'node_modules'));
  }

  /** Replaces the one place where `find` stands; returns how to undo it. */
  plant(file, find, replace) {
    const path = join(this.folder, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
    return () => writeFileSync(path, text);
  }

  /** @throws Error when the code that a fault is planted into has changed */
  expectOnce(file, find, name) {
    const times = readFileSync(join(this.folder, file), 'utf8').split(find).length - 1;
    if (times === 1) return;
    throw new Error(
      `'${name}': its snippet stands ${times} times in ${file}, 1 expected; mend scripts/plant/faults.mjs:\n${find}`,
    );
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #link(root, path) {
    try {
      symlinkSync(realpathSync(join(root, path)), join(this.folder, path));
    } catch (error) {
      // what has no modules of its own needs none
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    }
  }
}
