/** kubernetes:down on real parts: kube-apiserver stops for as long as the fault says, and everybody loses their connections. */
import { messageOf } from '../../domain/core/unknown.ts';
import type { World } from '../world/world.ts';
import type { ControlPlane } from './control-plane.ts';

export function followOutages(world: World, plane: Pick<ControlPlane, 'stopFor'>): void {
  world.faults.onBegin(({ name, lastsMs = 0 }) => {
    if (name !== 'kubernetes:down') return;
    plane.stopFor(world.clock.wallMs(lastsMs)).then(
      () => world.journal.tell('kube-apiserver answers again'),
      (error: unknown) => world.journal.tell(`kube-apiserver does not come back: ${messageOf(error)}`),
    );
  });
}
