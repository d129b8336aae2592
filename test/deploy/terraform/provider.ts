/**
 * Providers for the real Terraform, where none can be downloaded: they know the schemas of what Belay's modules use, and nothing else. Terraform itself
 * then checks names, types and references, and plays plans with its own mocks (`mock_provider`). schemas.json is read off public packages: of
 * hashicorp/aws 6.62.0 off its bindings, of hashicorp/kubernetes off its documentation of kubernetes_manifest.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GrpcObject, loadPackageDefinition, Server, ServerCredentials, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { z } from 'zod';

const attribute = z.object({
  type: z.union([z.string(), z.tuple([z.string(), z.string()])]),
  required: z.boolean().optional(),
  optional: z.boolean().optional(),
  computed: z.boolean().optional(),
});
const schemas = z.record(z.string(), z.record(z.string(), attribute));
const file = z.record(z.string(), z.object({ resources: schemas, data: schemas }));

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

function schemaOf(attributes: z.infer<typeof schemas>[string]): object {
  const listed = Object.entries(attributes).map(([name, { type, ...kind }]) => ({
    name,
    type: Buffer.from(JSON.stringify(type)),
    ...kind,
  }));
  return { version: 0, block: { version: 0, attributes: listed } };
}

const schemasOf = (all: z.infer<typeof schemas>): object =>
  Object.fromEntries(Object.entries(all).map(([name, attributes]) => [name, schemaOf(attributes)]));

const service = (): ServiceClientConstructor => {
  const loaded = loadPackageDefinition(loadSync(here('tfplugin5.proto'), { keepCase: true }));
  return (loaded['tfplugin5'] as GrpcObject)['Provider'] as ServiceClientConstructor;
};

type Answer = (error: null, response: object) => void;

async function serve({
  resources,
  data,
}: {
  resources: z.infer<typeof schemas>;
  data: z.infer<typeof schemas>;
}): Promise<Server & { port: number }> {
  const server = new Server();
  const nothing = (_call: unknown, answer: Answer): void => answer(null, {});
  server.addService(service().service, {
    GetSchema: (_call: unknown, answer: Answer): void =>
      answer(null, { provider: schemaOf({}), resource_schemas: schemasOf(resources), data_source_schemas: schemasOf(data) }),
    PrepareProviderConfig: ({ request }: { request: { config: object } }, answer: Answer): void =>
      answer(null, { prepared_config: request.config }),
    ValidateResourceTypeConfig: nothing,
    ValidateDataSourceConfig: nothing,
    Stop: nothing,
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return Object.assign(server, { port });
}

/** `reattach` is for TF_REATTACH_PROVIDERS: Terraform connects to these instead of starting programs of its own. */
export async function serveProviders(): Promise<{ reattach: string; close: () => void }> {
  const known = Object.entries(file.parse(JSON.parse(readFileSync(here('schemas.json'), 'utf8'))));
  const servers = await Promise.all(known.map(async ([name, each]) => [name, await serve(each)] as const));
  const reattach = servers.map(([name, { port }]) => [
    `registry.terraform.io/${name}`,
    { Protocol: 'grpc', ProtocolVersion: 5, Pid: process.pid, Test: true, Addr: { Network: 'tcp', String: `127.0.0.1:${port}` } },
  ]);
  return {
    reattach: JSON.stringify(Object.fromEntries(reattach)),
    close: () => {
      for (const [, server] of servers) server.forceShutdown();
    },
  };
}
