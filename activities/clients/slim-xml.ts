/**
 * Answers of EC2 are XML, and the SDK parses every field of each instance: three seconds and 200 MB for 5,000 of them. Where only a few
 * fields are asked for, the others are cut out before.
 */
import type { EC2 } from '@aws-sdk/client-ec2';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { field, isRecord } from '../../domain/unknown.ts';

/** Elements that hold no others, and empty ones. EC2 writes attributes only on the outermost. */
const LEAF = /<(\w+)>[^<]*<\/\1>|<\w+\/>/g;

/** By command: the fields that are kept of its answer. */
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  DescribeInstancesCommand: new Set(['instanceType', 'instanceLifecycle', 'coreCount', 'threadsPerCore', 'nextToken']),
  DescribeVolumesCommand: new Set(['volumeType', 'size', 'nextToken']),
};

/** Without the leaves that are not kept, and without the elements that are empty then. */
export function slimXml(xml: string, kept: ReadonlySet<string>): string {
  const slim = xml.replace(LEAF, (leaf: string, name: string | undefined) => (name !== undefined && kept.has(name) ? leaf : ''));
  return slim.length === xml.length ? xml : slimXml(slim, kept);
}

/** The client, whose answers have only the fields that readiness asks for. Refusals stay as they are. */
export function slimmed(ec2: EC2): EC2 {
  ec2.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const kept = KEPT[String(context['commandName'])];
      const { response } = result;
      if (kept !== undefined && field(response, 'statusCode') === 200 && isRecord(response) && response['body'] instanceof Readable)
        response['body'] = Buffer.from(slimXml((await buffer(response['body'])).toString('utf8'), kept));
      return result;
    },
    // Innermost: before the answer is parsed.
    { step: 'deserialize', priority: 'low', name: 'belaySlimXml' },
  );
  return ec2;
}
