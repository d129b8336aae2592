/** `network:` in belay.yaml: clusters that only a worker in that network reaches. Its name is the end of a task queue's. */
import { text } from '../base/fields.ts';

const LONGEST = 40;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?$/;
export const RIGHT_NETWORK = `write letters, digits and hyphens between them, at most ${LONGEST}, such as dmz`;

export const isNetworkName = (name: string): boolean => NAME.test(name);

export const network = text(RIGHT_NETWORK, NAME).describe(
  'Only workers of this network reach the cluster (belay worker --network NAME); without it any worker does',
);
