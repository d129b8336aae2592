/** Rolls of ten minutes and more, beside the others: `npm run test:real -- forecast`. */
import { testForecasts } from './test-forecasts.ts';
import { LONG_ROLLS } from './shapes.ts';

testForecasts(LONG_ROLLS);
