/** A sequencer for jest: test files in the order of the command line, so that those which most likely fail come first. */
interface Options {
  globalConfig: { nonFlagArgs: string[] };
}

export default class InOrder {
  readonly #paths: string[];

  constructor({ globalConfig }: Options) {
    this.#paths = globalConfig.nonFlagArgs;
  }

  sort<T extends { path: string }>(tests: readonly T[]): T[] {
    return tests.toSorted((one, other) => this.#paths.indexOf(one.path) - this.#paths.indexOf(other.path));
  }

  /** Jest asks for it; nothing is kept. */
  cacheResults(): void {}
}
