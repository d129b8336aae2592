/** Values of one release of Istio for another version of its chart. Pure. */
import { edited, type Values } from '../../kubernetes/gitops/chart-values.ts';

/** What pins the images of a version: `tag` at the top and in the sections that the charts read it from. */
export const PINS: readonly (readonly string[])[] = [['tag'], ['global', 'tag'], ['pilot', 'tag'], ['cni', 'tag']];

/** Without what pins the images of the old version. */
export function withoutPins(values: Values): Values {
  return edited(
    values,
    PINS.map((path) => ({ path })),
  );
}
