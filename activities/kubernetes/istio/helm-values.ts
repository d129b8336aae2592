/** Values of one release of Istio for another version of its chart. Pure. */

/** Without what pins the images of the old version: `tag` at the top and in the sections that the charts read it from. */
export function withoutPins({ tag: _tag, ...values }: Record<string, unknown>): Record<string, unknown> {
  const kept = { ...values };
  for (const section of ['global', 'pilot', 'cni']) {
    const inner = kept[section];
    if (typeof inner === 'object' && inner !== null)
      kept[section] = Object.fromEntries(Object.entries(inner).filter(([key]) => key !== 'tag'));
  }
  return kept;
}
