/** `belay codec-server`: lets Temporal UI show what BELAY_CODEC_KEYS has encrypted. */
import { once } from 'node:events';
import { Command } from 'commander';
import { type CommonOptions, parsePort, readConfig, stopSignal, withCommon } from '../shared/context.ts';
import { decoding } from '../messages/setup.ts';

interface Options extends CommonOptions {
  host: string;
  port: number;
  origin?: string;
}

export function codecServerCommand(): Command {
  return withCommon(new Command('codec-server'))
    .description('let Temporal UI show what BELAY_CODEC_KEYS has encrypted; SIGTERM ends it')
    .option('--host <address>', 'address to listen on; others than this machine need BELAY_CODEC_SERVER_TOKEN', '127.0.0.1')
    .option('-p, --port <port>', 'port to listen on', parsePort, 8234)
    .option('--origin <url>', "Temporal UI's address (default: temporal.ui, or http://localhost:8233)")
    .action(async ({ host, port, origin, ...options }: Options) => {
      const config = readConfig(options);
      const [{ startCodecServer }, { codecKeys }, { createLogger }, { temporalSettings }] = await Promise.all([
        import('../../worker/crypto/codec/server.ts'),
        import('../../worker/crypto/codec/keys.ts'),
        import('../../worker/config/log.ts'),
        import('../../worker/temporal/connection.ts'),
      ]);
      const ui = new URL(origin ?? config.temporal.ui ?? 'http://localhost:8233').origin;
      const log = createLogger('belay-codec-server');
      const token = process.env['BELAY_CODEC_SERVER_TOKEN'];
      const signal = stopSignal();
      const server = await startCodecServer({
        keys: codecKeys(process.env),
        namespace: temporalSettings(config.temporal).namespace,
        origin: ui,
        host,
        port,
        log: (line) => log.warn(line),
        ...(token === undefined || token === '' ? {} : { token }),
      });
      log.info(decoding(ui, `http://${host}:${server.port}`));
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
    });
}
