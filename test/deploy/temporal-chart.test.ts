/** Values for Temporal's own chart, and the Job that makes the namespace: what compose does, in Kubernetes. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { TEMPORAL_VERSION } from '../../rehearsal/real/parts/table.ts';
import { textOf, yamlOf } from './files.ts';

const values = z.looseObject({ server: z.looseObject({ dynamicConfig: z.unknown() }), web: z.unknown() }).parse(
  // As Helm reads it: `<<` is YAML 1.1's.
  parse(textOf('deploy/temporal/values-postgresql.yaml'), { merge: true }),
);
const compose = z
  .object({
    services: z.record(z.string(), z.looseObject({ image: z.string(), environment: z.record(z.string(), z.string()).optional() })),
  })
  .parse(parse(textOf('docker-compose.yml'), { merge: true })).services;

const sql = {
  pluginName: 'postgres12',
  existingSecret: 'temporal-postgresql',
  secretKey: 'password',
  createDatabase: true,
  manageSchema: true,
};

test('64 shards, both databases on PostgreSQL by the plugin of compose, the password from a Secret', () => {
  expect(values.server).toMatchObject({
    config: {
      persistence: {
        numHistoryShards: 64,
        datastores: {
          default: { sql: { ...sql, databaseName: 'temporal' } },
          visibility: { sql: { ...sql, databaseName: 'temporal_visibility' } },
        },
      },
      namespaces: { create: false },
    },
  });
  expect(compose['temporal']?.environment).toMatchObject({ DB: sql.pluginName });
  expect(textOf('deploy/temporal/values-postgresql.yaml')).not.toMatch(/\bpassword: /);
});

test('ids are as long as compose allows, and the UI is as read-only', () => {
  expect(values.server.dynamicConfig).toEqual(yamlOf('deploy/temporal/dynamic-config.yaml')[0]);
  const ui = compose['temporal-ui']?.environment ?? {};
  expect(values.web).toEqual({
    additionalEnv: ['TEMPORAL_DISABLE_WRITE_ACTIONS', 'TEMPORAL_CODEC_ENDPOINT'].map((name) => ({ name, value: ui[name] })),
  });
});

test('the Job runs the script of compose, by the image of compose, with all that it asks for', () => {
  const job = z
    .looseObject({
      spec: z.looseObject({
        template: z.looseObject({
          spec: z.looseObject({
            containers: z.tuple([
              z.looseObject({
                image: z.string(),
                command: z.array(z.string()),
                env: z.array(z.object({ name: z.string(), value: z.string() })),
              }),
            ]),
          }),
        }),
      }),
    })
    .parse(yamlOf('deploy/temporal/namespace-job.yaml')[0]);
  const [{ image, command, env }] = job.spec.template.spec.containers;
  expect(image).toBe(compose['temporal-namespace']?.image);
  expect(image).toBe(`temporalio/admin-tools:${TEMPORAL_VERSION}`);
  expect(command).toEqual(['/bin/sh', '/setup/create-namespace.sh']);
  expect(env.map(({ name }) => name).sort()).toEqual(Object.keys(compose['temporal-namespace']?.environment ?? {}).sort());
  expect(env).toContainEqual({ name: 'RETENTION', value: compose['temporal-namespace']?.environment?.['RETENTION'] });
});
