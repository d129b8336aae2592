/** EC2's shapes of launch templates. */
import type { Ami } from '../eks/amis.ts';
import type { World } from '../world/world.ts';
import type { LaunchTemplate } from './network.ts';
import type { XmlValue } from './xml.ts';

const common = (world: World, template: LaunchTemplate) => ({
  launchTemplateId: template.id,
  launchTemplateName: template.name,
  createTime: new Date(world.eks.cluster.createdAtMs),
  createdBy: `arn:aws:iam::${world.eks.cluster.account}:role/terraform`,
});

export function renderTemplate(world: World, template: LaunchTemplate): XmlValue {
  return {
    ...common(world, template),
    defaultVersionNumber: template.defaultVersion,
    latestVersionNumber: Math.max(...template.versions.map(({ number }) => number)),
  };
}

/** `image` knows the architecture of an image of AWS's own. */
export function renderTemplateVersion(
  world: World,
  template: LaunchTemplate,
  version: LaunchTemplate['versions'][number],
  image: (id: string) => Ami | undefined,
): XmlValue {
  const arm = version.imageId !== undefined && image(version.imageId)?.arch === 'arm64';
  return {
    ...common(world, template),
    versionNumber: version.number,
    defaultVersion: version.number === template.defaultVersion,
    launchTemplateData: { imageId: version.imageId, instanceType: arm ? 'm6g.xlarge' : 'm6i.xlarge' },
  };
}
