// Pinocchio's constrained forward dynamics in the loop of the others; stands behind pinocchio_cpp.cpp in one source.
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/pv.hpp>

struct Held {
    Robot *robot;
    std::vector<pin::RigidConstraintModel> models;
    std::vector<pin::RigidConstraintData> datas, loop_datas;
    std::vector<pin::PointAnchorConstraintModel> points;
    std::vector<pin::PointAnchorConstraintModel::ConstraintData> point_datas;
    std::vector<pin::FrameAnchorConstraintModel> frames;
    std::vector<pin::FrameAnchorConstraintModel::ConstraintData> frame_datas;
    pin::Data dense, anchored, looped;
    pin::ProximalSettings dense_settings, settings;
    explicit Held(Robot *r) : robot(r), dense(r->model), anchored(r->model), looped(r->model) {}
};

static pin::SE3 pose(const double *x) {
    using Matrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
    const Eigen::Map<const Matrix4> T(x);
    return pin::SE3(Eigen::Matrix3d(T.topLeftCorner<3, 3>()), Eigen::Vector3d(T.topRightCorner<3, 1>()));
}

// rows: 3 (a point) or 6 (a frame) for each constraint; bodies from 0, -1 for the ground; 2 x 16 numbers of poses each
extern "C" void *constrain(void *context, int count, const int *rows, const int *first, const int *second,
                           const double *poses, double mu, int iterations, double dense_mu, int dense_iterations) {
    auto *held = new Held(static_cast<Robot *>(context));
    auto &model = held->robot->model;
    bool anchors = true;
    for (int k = 0; k < count; ++k) anchors = anchors && second[k] < 0 && rows[k] == rows[0];
    for (int k = 0; k < count; ++k, poses += 32) {
        const pin::JointIndex a = first[k] + 1, b = second[k] + 1;
        const pin::SE3 A = pose(poses), B = pose(poses + 16);
        held->models.emplace_back(rows[k] == 3 ? pin::CONTACT_3D : pin::CONTACT_6D, model, a, A, b, B, pin::LOCAL);
        if (anchors && rows[k] == 3) held->points.emplace_back(model, a, A, b, B);
        if (anchors && rows[k] == 6) held->frames.emplace_back(model, a, A, b, B);
    }
    for (auto &m : held->models) held->datas.emplace_back(m), held->loop_datas.emplace_back(m);
    for (auto &m : held->points) held->point_datas.emplace_back(m);
    for (auto &m : held->frames) held->frame_datas.emplace_back(m);
    held->settings = pin::ProximalSettings(1e-12, 1e-12, mu, iterations);
    held->dense_settings = pin::ProximalSettings(1e-12, 1e-12, dense_mu, dense_iterations);
    pin::initConstraintDynamics(model, held->dense, held->models, held->datas);
    if (!held->points.empty()) pin::initPvSolver(model, held->anchored, held->points);
    if (!held->frames.empty()) pin::initPvSolver(model, held->anchored, held->frames);
    pin::computeJointMinimalOrdering(model, held->looped, held->models);
    return held;
}

static void dense_forward(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &h = *static_cast<Held *>(context);
    auto &r = *h.robot;
    copy_in(r, q, v, u);
    Out(out, r.model.nv) = pin::constraintDynamics(r.model, h.dense, r.q, r.v, r.u, h.models, h.datas, h.dense_settings);
}

static void anchored_forward(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &h = *static_cast<Held *>(context);
    auto &r = *h.robot;
    copy_in(r, q, v, u);
    if (!h.points.empty())
        Out(out, r.model.nv) = pin::constrainedABA(r.model, h.anchored, r.q, r.v, r.u, h.points, h.point_datas, h.settings);
    else
        Out(out, r.model.nv) = pin::constrainedABA(r.model, h.anchored, r.q, r.v, r.u, h.frames, h.frame_datas, h.settings);
}

static void looped_forward(void *context, const double *q, const double *v, const double *u, double *out) {
    auto &h = *static_cast<Held *>(context);
    auto &r = *h.robot;
    copy_in(r, q, v, u);
    Out(out, r.model.nv) = pin::lcaba(r.model, h.looped, r.q, r.v, r.u, h.models, h.loop_datas, h.settings);
}

// what: 0 constraintDynamics, 1 constrainedABA (anchors on the ground only), 2 LCABA
extern "C" double run_constrained(void *context, int what, const double *q, const double *v, const double *u, double *out,
                                  const Shape *n, double budget) {
    static const Kernel kernels[] = {dense_forward, anchored_forward, looped_forward};
    return run_loop(kernels[what], context, q, v, u, out, n, budget);
}
