extern constant uint K[4];

kernel void undefined(global uint *out)
{
    uint g = get_global_id(0);
    out[g] = K[g & 3];
}
