/** An istiod with one replica gets a second one while nodes move. */
import { at } from '../model/at.ts';
import type { Play } from '../play/play.ts';

export function withSpareIstiods(play: Play, wanted: boolean | undefined, work: () => void): void {
  const lone = wanted !== true ? [] : play.cluster.workloads.filter(({ ref, replicas }) => isIstiod(ref) && replicas === 1);
  const spares = lone.map(({ pods }) => play.pods.addLike(at(pods, 0)));
  if (spares.length > 0) play.clock.until(() => spares.every((pod) => play.pods.isReady(pod)), MOST_MS);
  work();
  for (const pod of spares) play.pods.remove(pod);
}

const MOST_MS = 10 * 60_000;
const isIstiod = ({ kind, name }: { kind: string; name: string }): boolean => kind === 'Deployment' && /^istiod(-|$)/.test(name);
