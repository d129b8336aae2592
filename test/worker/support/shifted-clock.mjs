/** Preloaded into a process and its threads: their clock is SHIFTED_BY_MS off. */
const shiftedMs = Number(process.env.SHIFTED_BY_MS);
const RealDate = Date;
const now = () => RealDate.now() + shiftedMs;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
