/** Real controller managers and schedulers are held to the recorded answers, so that these stay true. */
import { CONTROLLER_AREAS } from '../cases/index.ts';
import { contract } from '../suite.ts';
import { MINORS, startControlPlane } from './control-plane.ts';

for (const minor of MINORS) {
  contract(`control plane ${minor}`, CONTROLLER_AREAS, () => startControlPlane(minor, { controllers: true }), true);
}
