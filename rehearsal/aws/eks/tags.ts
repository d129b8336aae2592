/** Tags of clusters, node groups, add-ons and the like, by ARN. */
import type { World } from '../../world/world.ts';
import { eksError } from './errors.ts';
import { asRecord, type Call } from './http.ts';
import { taggableArns } from './render.ts';

const MAX_TAGS = 50;

function requireArn(world: World, arn: string | undefined): string {
  if (arn === undefined || !/^arn:aws[a-z-]*:eks:/.test(arn)) throw eksError('BadRequestException', `Invalid ARN: ${arn}`);
  if (!taggableArns(world.eks).includes(arn)) throw eksError('NotFoundException', `Resource not found for ARN: ${arn}`);
  return arn;
}

export function listTagsForResource(world: World, { path }: Call): Record<string, unknown> {
  return { tags: world.eks.tags[requireArn(world, path[0])] ?? {} };
}

export function tagResource(world: World, { path, body }: Call): Record<string, unknown> {
  const arn = requireArn(world, path[0]);
  const tags = asRecord(body.tags);
  if (tags === undefined || Object.keys(tags).length === 0) throw eksError('BadRequestException', 'Tags must be given.');
  if (Object.keys(tags).some((key) => key.startsWith('aws:')))
    throw eksError('BadRequestException', 'Tag keys that begin with aws: are reserved.');
  const next = { ...world.eks.tags[arn], ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, String(value)])) };
  if (Object.keys(next).length > MAX_TAGS) throw eksError('BadRequestException', `A resource has at most ${MAX_TAGS} tags.`);
  world.eks.tags[arn] = next;
  return {};
}

export function untagResource(world: World, { path, query }: Call): Record<string, unknown> {
  const arn = requireArn(world, path[0]);
  const keys = query.getAll('tagKeys');
  if (keys.length === 0) throw eksError('BadRequestException', 'Tag keys must be given.');
  world.eks.tags[arn] = Object.fromEntries(Object.entries(world.eks.tags[arn] ?? {}).filter(([key]) => !keys.includes(key)));
  return {};
}
