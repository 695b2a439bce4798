#!/usr/bin/env node
// Opens written ONNX files in ONNX Runtime and runs them.
//
//   check_with_ort.mjs LIST
//
// LIST holds one line per file: WRITTEN <tab> ORIGINAL <tab> DATA. DATA is a folder in the layout of the backend tests; "-" means
// made-up inputs, and then what ORIGINAL gives is expected. One JSON line comes out per file:
// {"model", "verdict": "passed" | "failed" | "beyond", "reason"}; "beyond": ONNX Runtime cannot open or run ORIGINAL either.
//
// Needs the npm package onnxruntime-node, looked for in the folder FW_ORT (which holds node_modules), in NODE_PATH and beside this
// file. Exit codes: 0 all passed or beyond, 1 something failed, 77 the package is not there.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

function findRuntime() {
  const folders = [process.env.FW_ORT, ...(process.env.NODE_PATH ?? '').split(path.delimiter), path.dirname(fileURLToPath(import.meta.url))];
  for (const folder of folders.filter(Boolean)) {
    try {
      const from = path.basename(folder) === 'node_modules' ? path.dirname(folder) : folder;
      return createRequire(path.join(path.resolve(from), 'none.js'))('onnxruntime-node');
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return null;
}

const ort = findRuntime();
if (!ort) {
  console.error('onnxruntime-node was not found: npm install --ignore-scripts onnxruntime-node in a folder, and FW_ORT=FOLDER');
  process.exit(77);
}

const kinds = { 1: ['float32', Float32Array], 2: ['uint8', Uint8Array], 3: ['int8', Int8Array], 4: ['uint16', Uint16Array],
  5: ['int16', Int16Array], 6: ['int32', Int32Array], 7: ['int64', BigInt64Array], 9: ['bool', Uint8Array], 10: ['float16', Uint16Array],
  11: ['float64', Float64Array], 12: ['uint32', Uint32Array], 13: ['uint64', BigUint64Array] };

// TensorProto, as far as data sets use it: dims 1, data_type 2, float_data 4, int32_data 5, int64_data 7, name 8, raw_data 9, double_data 10.
function readTensor(file) {
  const bytes = fs.readFileSync(file);
  let at = 0;
  const varint = () => {
    let out = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      out |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, out);
    }
  };
  const dims = [], numbers = [];
  let type = 0, name = '', raw = null;
  while (at < bytes.length) {
    const tag = Number(varint()), field = tag >> 3, wire = tag & 7;
    if (wire === 0) {
      const value = varint();
      if (field === 1) dims.push(Number(value));
      else if (field === 2) type = Number(value);
      else numbers.push(value);
      continue;
    }
    if (wire === 5 || wire === 1) {
      numbers.push(wire === 5 ? bytes.readFloatLE(at) : bytes.readDoubleLE(at));
      at += wire === 5 ? 4 : 8;
      continue;
    }
    const length = Number(varint()), end = at + length;
    if (field === 1) while (at < end) dims.push(Number(varint()));
    else if (field === 4) for (; at < end; at += 4) numbers.push(bytes.readFloatLE(at));
    else if (field === 10) for (; at < end; at += 8) numbers.push(bytes.readDoubleLE(at));
    else if (field === 5 || field === 7) while (at < end) numbers.push(varint());
    else if (field === 8) name = bytes.toString('utf8', at, end);
    else if (field === 9) raw = bytes.subarray(at, end);
    at = end;
  }
  if (!kinds[type]) throw new Error(`${file}: data type ${type}`);
  const [kind, Values] = kinds[type];
  const wide = Values === BigInt64Array || Values === BigUint64Array;
  const data = raw ? new Values(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length))
    : Values.from(numbers, wide ? BigInt : Number);
  return { name, tensor: new ort.Tensor(kind, data, dims) };
}

function readAll(folder, prefix) {
  const out = [];
  for (let k = 0; fs.existsSync(path.join(folder, `${prefix}_${k}.pb`)); k++) out.push(readTensor(path.join(folder, `${prefix}_${k}.pb`)));
  return out;
}

// By name where the names fit, else in order.
function byName(names, tensors) {
  const fits = tensors.every(({ name }) => names.includes(name));
  return Object.fromEntries(tensors.map(({ name, tensor }, k) => [fits ? name : names[k], tensor]));
}

// The same small numbers for the same shape; free dimensions are 3.
function madeUp(metadata) {
  const out = {};
  let state = 1;
  for (const input of metadata) {
    const dims = input.shape.map((extent) => (typeof extent === 'number' && extent >= 0 ? extent : 3));
    const count = dims.reduce((a, b) => a * b, 1);
    const [, Values] = Object.values(kinds).find(([kind]) => kind === input.type);
    const wide = Values === BigInt64Array || Values === BigUint64Array;
    const data = Values.from({ length: count }, () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      if (input.type === 'bool') return state % 2;
      return wide ? BigInt(state % 3) : Values === Float32Array || Values === Float64Array ? (state % 2001) / 1000 - 1 : state % 3;
    });
    out[input.name] = new ort.Tensor(input.type, data, dims);
  }
  return out;
}

function difference(name, got, want) {
  if (!got) return `${name} is missing`;
  if (got.type !== want.type || String(got.dims) !== String(want.dims))
    return `${name} is ${got.type}[${got.dims}] instead of ${want.type}[${want.dims}]`;
  for (let i = 0; i < want.data.length; i++) {
    const a = Number(got.data[i]), b = Number(want.data[i]);
    if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
    if (!(Math.abs(a - b) <= 1e-5 + 1e-3 * Math.abs(b))) return `${name}[${i}] is ${a} instead of ${b}`;
  }
  return '';
}

async function run(file, feeds) {
  const session = await ort.InferenceSession.create(file, { logSeverityLevel: 4, intraOpNumThreads: 1 });
  try {
    const results = [];
    for (const feed of feeds(session)) results.push(await session.run(feed));
    return { names: session.outputNames, results };
  } finally {
    await session.release();
  }
}

async function judge(written, original, data) {
  const sets = data === '-' ? [] : fs.readdirSync(data).filter((name) => name.startsWith('test_data_set_')).sort()
    .map((name) => path.join(data, name));
  const feeds = (session) => (data === '-' ? [madeUp(session.inputMetadata)]
    : sets.map((set) => byName(session.inputNames, readAll(set, 'input'))));
  const theirs = await run(original, feeds).catch((error) => ({ error: String(error.message) }));
  let ours;
  try {
    ours = await run(written, feeds);
  } catch (error) {
    return theirs.error ? ['beyond', theirs.error] : ['failed', String(error.message)];
  }
  let wrong = '';
  for (const [k, result] of ours.results.entries()) {
    const want = data === '-' ? null : byName(ours.names, readAll(sets[k], 'output'));
    for (const name of ours.names) wrong ||= want ? difference(name, result[name], want[name]) : '';
    // Where ONNX Runtime itself misses what is expected, it decides. Where nothing is expected, too.
    if (theirs.error ? !want : wrong || !want) {
      if (theirs.error) return ['beyond', theirs.error];
      wrong = '';
      for (const [i, name] of ours.names.entries())
        wrong ||= difference(name, result[name], theirs.results[k][theirs.names[i]]);
    }
    if (wrong) return ['failed', `${path.basename(sets[k] ?? 'made up')}: ${wrong}`];
  }
  return ['passed', ''];
}

let failed = false;
for (const line of fs.readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean)) {
  const [written, original, data] = line.split('\t');
  const [verdict, reason] = await judge(written, original, data);
  failed ||= verdict === 'failed';
  console.log(JSON.stringify({ model: written, verdict, reason }));
}
process.exitCode = failed ? 1 : 0;
