#ifdef __cplusplus
extern "C" {
#endif
int add(int a, int b);
int many(int a);
#ifdef __cplusplus
}
#endif
