/** The stand-in is held to what real control planes answered. */
import { API_AREAS, CONTROLLER_AREAS } from './cases/index.ts';
import { startStandIn } from './stand-in.ts';
import { contract } from './suite.ts';

for (const minor of ['1.33', '1.34']) {
  contract(`the stand-in as ${minor}`, API_AREAS, () => startStandIn(minor));
  contract(`the stand-in as ${minor}, with controllers`, CONTROLLER_AREAS, () => startStandIn(minor, { controllers: true }));
}
