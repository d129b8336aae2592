/** The image that a managed node group's nodes boot. */
import type { World } from '../../../world/world.ts';
import { type Ami, amiById, archOf, familyOf, latestAmi } from './amis.ts';
import type { EksNodeGroup } from '../state.ts';

/** Of a minor; where a launch template brings its own image, that one. Undefined where AWS has none. */
export function amiOfGroup(
  world: World,
  group: EksNodeGroup,
  minor: string,
  templateVersion = group.launchTemplate?.version,
): Ami | undefined {
  const { images } = world.eks;
  const template = world.eks.network.launchTemplates.find(
    (t) => t.id === group.launchTemplate?.id || t.name === group.launchTemplate?.name,
  );
  const own = template?.versions.find((v) => String(v.number) === templateVersion)?.imageId;
  return (
    (own === undefined ? undefined : amiById(own, images)) ??
    latestAmi(familyOf(group.amiType), minor, world.clock.now(), archOf(group.amiType), images)
  );
}
