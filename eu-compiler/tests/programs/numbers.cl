// Floats. What follows is compared within a tolerance.

kernel void mandelbrot(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    float cx = -2.0f + (g & 15) * 0.1875f, cy = -1.25f + (g >> 4) * 0.15625f;
    float x = 0, y = 0;
    int n = 0;
    while (x * x + y * y < 4.0f && n < 50) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    out[g] = n;
}

kernel void nbody(global const uint *in, global float *out)
{
    local float4 bodies[64];
    uint l = get_local_id(0), g = get_global_id(0);
    float4 own = convert_float4((vload4(g, in) & 1023)) * 0.01f;
    float4 force = 0;
    bodies[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 64; i++) {
        float4 d = bodies[i] - own;
        float r2 = dot(d.xyz, d.xyz) + 0.01f;
        float inv = rsqrt(r2);
        force.xyz += d.xyz * (bodies[i].w * inv * inv * inv);
    }
    vstore4(force, g, out);
}

float2 cmul(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel void fft16(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    float2 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = (float2)(in[g * 8 + i] & 255, in[g * 8 + i] >> 8 & 255);
    for (int s = 1; s < 8; s *= 2)
        for (int k = 0; k < 8; k += 2 * s)
            for (int j = 0; j < s; j++) {
                float angle = -3.14159265f * j / s;
                float2 w = (float2)(cos(angle), sin(angle));
                float2 t = cmul(w, v[k + j + s]), u = v[k + j];
                v[k + j] = u + t;
                v[k + j + s] = u - t;
            }
    for (int i = 0; i < 8; i++)
        vstore2(v[i], g * 8 + i, out);
}

kernel void csr(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    uint begin = in[g] & 1023, end = begin + (in[g] >> 10 & 31);
    float sum = 0;
    for (uint i = begin; i < end; i++) {
        uint column = in[i] & 255;
        float value = (float)(in[i] >> 24) - 128.0f;
        sum = mad(value, (float)(in[column] & 63), sum);
    }
    out[g] = sum;
}

kernel void matmul(global const uint *in, global float *out)
{
    local float a[8][8], b[8][8];
    uint l = get_local_id(0), x = l & 7, y = l >> 3, group = get_group_id(0);
    float sum = 0;
    for (uint t = 0; t < 4; t++) {
        a[y][x] = (float)(in[group * 256 + t * 64 + l] & 15);
        b[y][x] = (float)(in[1024 + group * 256 + t * 64 + l] & 15);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

kernel void newton(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    float target = (float)(in[g] >> 8) * 0.001f + 1.0f, x = target;
    int i = 0;
    for (; i < 30; i++) {
        float next = 0.5f * (x + target / x);
        if (fabs(next - x) < 1e-3f * next)
            break;
        x = next;
    }
    out[2 * g] = x;
    out[2 * g + 1] = cbrt(target) + hypot(x, 3.0f) + native_sqrt(x);
}

kernel void gauss(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    float m[3][4];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            m[y][x] = (float)(in[g + y * 4 + x] & 31) + (x == y ? 64.0f : 0.0f);
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < 3; y++) {
            if (y == c)
                continue;
            float f = m[y][c] / m[c][c];
            for (int x = c; x < 4; x++)
                m[y][x] -= f * m[c][x];
        }
    for (int y = 0; y < 3; y++)
        out[3 * g + y] = m[y][3] / m[y][y];
}

kernel void geometry(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    float3 a = convert_float3(vload3(g, in) & 255) + 1.0f, b = convert_float3(vload3(g + 5, in) & 255) + 1.0f;
    float3 n = normalize(cross(a, b) + (float3)(0.5f, 0.25f, 1.0f));
    float4 r = (float4)(n, length(a - b));
    r.w += distance(a, b) + fast_length(a) + mix(a.x, b.x, 0.25f) + smoothstep(10.0f, 200.0f, a.y);
    r.x += step(100.0f, a.z) + sign(a.x - b.x) + clamp(a.y, 20.0f, 60.0f) + degrees(n.y) + radians(a.z);
    vstore4(r, g, out);
}

kernel void transcendental(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    float x = (float)(in[g] & 0xffff) * 0.001f + 0.001f, y = (float)(in[g] >> 16) * 0.0001f;
    out[8 * g] = exp(y) + exp2(y) + log(x) + log2(x) + log10(x);
    out[8 * g + 1] = pow(x, y) + powr(x, 0.3f) + pown(y + 1.0f, 3) + rootn(x, 5);
    out[8 * g + 2] = sin(x) + cos(x) * 2 + 4;
    out[8 * g + 3] = atan2(x, y + 1.0f) + asin(y * 0.1f) + acos(y * 0.1f) + atan(x);
    out[8 * g + 4] = sinh(y) + cosh(y) + tanh(y) + asinh(x) + acosh(x + 1.0f);
    out[8 * g + 5] = fmod(x, y + 0.5f);
    out[8 * g + 6] = ldexp(x, 3) + fract(x, &y) + ceil(x) + floor(x) + trunc(x) + round(x) + rint(x);
    out[8 * g + 7] = erf(y) + expm1(y) + log1p(x) + fma(x, y, x) + fdim(x, y) + maxmag(x, -y);
}

kernel void blur(global const uint *in, global float *out)
{
    local float tile[10][10];
    uint l = get_local_id(0), g = get_global_id(0), base = get_group_id(0) * 100;
    for (uint i = l; i < 100; i += 64)
        tile[i / 10][i % 10] = (float)(in[base + i] & 255);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = l & 7, y = l >> 3;
    float sum = 0;
    #pragma unroll
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += tile[y + dy][x + dx] * (float)((2 - abs(dy - 1)) * (2 - abs(dx - 1)));
    out[g] = sum / 16.0f;
}

kernel void half_math(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    // Small enough that sums of products are exact, rounded once or twice.
    half2 a = convert_half2((float2)(in[g] & 63, in[g] >> 8 & 63) * 0.125f);
    half2 b = convert_half2((float2)(in[g + 1] & 15, in[g + 1] >> 8 & 15) * 0.0625f);
    half2 c = a * b + a - b;
    half d = c.x > c.y ? c.x / (b.x + 1.0h) : sqrt(c.y + 16.0h);
    out[2 * g] = convert_float(max(c.x, c.y)) + (float)fabs(c.x - a.y);
    out[2 * g + 1] = (float)(half)(int)(float)d;
}

kernel void selects(global const uint *in, global float *out)
{
    uint g = get_global_id(0);
    float x = (float)(int)in[g] * 1e-6f, y = (float)(int)in[g + 1] * 1e-6f;
    float r = fmin(x, y) * 0.5f + fmax(x, 0.0f) + (x > 0 ? y : -y) + copysign(x, y);
    r += x < y && y < 100.0f || x > 500.0f ? 10.0f : 20.0f;
    int e;
    float m = frexp(fabs(x) + 1.0f, &e);
    out[2 * g] = r;
    out[2 * g + 1] = m + e + ilogb(fabs(y) + 1.0f) + nextafter(x, y) * 1e-3f;
}
