/** EC2's shapes of launch templates. */
import type { Ami } from './eks/nodes/amis.ts';
import { AwsError } from './eks/errors.ts';
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
    tagSet: Object.entries(template.tags ?? {}).map(([key, value]) => ({ key, value })),
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
    versionDescription: version.description,
    defaultVersion: version.number === template.defaultVersion,
    launchTemplateData: {
      imageId: version.imageId,
      instanceType: arm ? 'm6g.xlarge' : 'm6i.xlarge',
      ...(version.userData === undefined ? {} : { userData: version.userData }),
    },
  };
}

/** As CreateLaunchTemplateVersion does: the source version, with what the request changes. The same ClientToken makes one version. */
export function createTemplateVersion(world: World, template: LaunchTemplate, form: URLSearchParams): LaunchTemplate['versions'][number] {
  const token = form.get('ClientToken') ?? undefined;
  const known = template.versions.find((version) => token !== undefined && version.token === token);
  if (known !== undefined) return known;
  const source = versionNamed(template, form.get('SourceVersion') ?? undefined);
  if (form.has('SourceVersion') && source === undefined)
    throw new AwsError(
      400,
      'InvalidLaunchTemplateId.VersionNotFound',
      `Could not find launch template version ${form.get('SourceVersion')}`,
    );
  const number = Math.max(...template.versions.map((each) => each.number)) + 1;
  const imageId = form.get('LaunchTemplateData.ImageId') ?? source?.imageId;
  const description = form.get('VersionDescription') ?? undefined;
  const made = { number, imageId, description, token, ...(source?.userData === undefined ? {} : { userData: source.userData }) };
  template.versions.push(made);
  return made;
}

/** By a number, $Latest or $Default. */
export function versionNamed(template: LaunchTemplate, name: string | undefined): LaunchTemplate['versions'][number] | undefined {
  const latest = Math.max(...template.versions.map(({ number }) => number));
  const number = name === '$Latest' ? latest : name === '$Default' ? template.defaultVersion : Number(name);
  return template.versions.find((version) => version.number === number);
}
