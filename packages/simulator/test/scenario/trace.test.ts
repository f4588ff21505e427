import { describe, expect, test } from '@jest/globals';
import { parseTrace } from '../../src/index.js';

describe('a recorded trace', () => {
  test('is read from an access log, to the offset of each line', () => {
    const log = [
      '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326',
      '127.0.0.1 - - [10/Oct/2000:20:55:37 +0000] "GET /b HTTP/1.0" 200 1',
      '127.0.0.1 - - [11/Oct/2000:02:25:36.250 +0530] "GET /c HTTP/1.0" 200 1',
      '',
    ].join('\n');
    expect(parseTrace(log, 'access.log')).toEqual([0, 250, 1000]);
  });

  test('is read from the first column of a CSV file, heading skipped, sorted, from its first instant', () => {
    expect(parseTrace('at,path\n1500,/a\n500,/b\n', 'x.csv')).toEqual([0, 1000]);
    expect(parseTrace('1767225600.5;/a\n1767225601;/b', 'x.csv')).toEqual([0, 500]);
    expect(parseTrace('1767225600500\n1767225601000', 'x.csv')).toEqual([0, 500]);
    expect(
      parseTrace(
        '"2024-02-28T23:59:59.500Z",a\n"2024-02-29T01:00:00+01:00",b\n"2024-03-01 00:00:00",c',
        'x.csv',
      ),
    ).toEqual([0, 500, 86_400_500]);
  });

  test('that holds something else is refused by file and line', () => {
    expect(() => parseTrace('10\nsoon\n', 'x.csv')).toThrow(/x\.csv:2 is 'soon'/);
    expect(() => parseTrace('\n', 'x.csv')).toThrow(/x\.csv:1/);
    expect(() => parseTrace('1\n[10/Foo/2000:13:55:36 -0700]', 'x.log')).toThrow(/x\.log:2/);
  });
});
