/** The environment that docker-compose.yml gives to its services, so that tests run what people run. */
import { parse } from 'yaml';
import { z } from 'zod';
import { textOf } from '../../deploy/files.ts';

const file = z.object({ services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.string()).optional() })) });

/** `${NAME:-value}` is the value, as where .env says nothing. Throws for a service without an environment. */
export function composeEnvironment(service: string): Record<string, string> {
  const { services } = file.parse(parse(textOf('docker-compose.yml'), { merge: true }));
  const environment = services[service]?.environment;
  if (environment === undefined) throw new Error(`docker-compose.yml gives no environment to ${service}.`);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]));
}
