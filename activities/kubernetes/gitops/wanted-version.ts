/** The version that is wanted of a chart: an exact one, or a minor whose newest patch the chart's source knows. Pure. */
import { minorOf } from '../objects/kubelet-versions.ts';
import type { Wanted } from '../../contract/delivery.ts';

const isMinor = (wanted: Wanted): boolean => /^\d+\.\d+$/.test(wanted);

/** As it is written into an object: of a minor a range, which the source resolves to its newest patch. */
export const writtenFor = (wanted: Wanted): string => (isMinor(wanted) ? `~${wanted}.0` : wanted);

/** Does an object say it? People may have written a patch of the minor themselves. */
export const says = (written: string, wanted: Wanted): boolean => written === writtenFor(wanted) || fits(written, wanted);

/** One version, as Helm takes it for one: anything else is a range, a tag or a digest. */
const ONE_VERSION = /^v?\d+\.\d+\.\d+(?:[-+].*)?$/;

/** Others may keep a range, which says nothing of the version: what was delivered by it counts. */
export const isRange = (written: string): boolean => !ONE_VERSION.test(written);

/** Is this version, as delivered, the wanted one? */
export function fits(version: string | undefined, wanted: Wanted): boolean {
  return version !== undefined && (isMinor(wanted) ? minorOf(plain(version)) === wanted : plain(version) === wanted);
}

/** Charts from OCI may carry their digest: "1.6.8+4d1f0a5c9b2e". */
export function plain(version: string): string {
  return version.split('+')[0] ?? version;
}
