/** The tests of a file: of each shape the forecast from a snapshot beside the upgrade itself, on a real API server with a real Karpenter. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Compared, compare, compareTable, isWithin, isWithinOnAverage } from './compare.ts';
import { Playhouse, type Played } from './playhouse.ts';
import type { Shape } from './shapes.ts';

const LIMIT_MS = 36 * 60_000;

/** One after the other, in a playhouse of their own. */
export function compareEach(shapes: readonly Shape[]): void {
  let playhouse: Playhouse;
  const all: Compared[] = [];

  beforeAll(async () => {
    playhouse = await Playhouse.open(shapes);
  }, 360_000);

  afterAll(async () => {
    await playhouse?.close();
    process.stdout.write(`\n${compareTable(all)}\n`);
  }, 180_000);

  describe.each(shapes)('$scenario.name: $scenario.title', (shape) => {
    let played: Played;
    let compared: Compared;

    beforeAll(async () => {
      played = await playhouse.play(shape);
      compared = compare(shape.scenario.name, played);
      all.push(compared);
    }, LIMIT_MS);

    test('the upgrade completes', () => {
      expect(played.record.outcome).toBe('completed');
    });

    test('nodes are replaced as the forecast says', () => {
      expect(compared.replaced.forecast).toEqual(compared.replaced.fact);
    });

    test('the pods that keep their nodes are those of the forecast', () => {
      expect(compared.blocked.forecast).toEqual(compared.blocked.fact);
    });

    test('the workloads without a ready pod are those of the forecast', () => {
      expect(compared.unserved.forecast).toEqual(compared.unserved.fact);
    });

    test('the roll takes as long as the forecast says, within a fifth, or as far beyond as chance alone takes its plays', () => {
      expect([compared.roll, isWithin(compared.roll)]).toEqual([compared.roll, true]);
    });
  });

  test('on average the rolls take as long as the forecasts say, within 15 %', () => {
    const rolls = all.map(({ roll }) => roll);
    expect(rolls).toHaveLength(shapes.length);
    expect([rolls, isWithinOnAverage(rolls)]).toEqual([rolls, true]);
  });
}
